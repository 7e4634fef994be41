/**
 * What the store does besides writing and answering: it makes segments and rollups, drops what is
 * too old or too much, and repairs what a crash or a bad disk left.
 *
 * <p>Start at {@link dev.plumb.store.upkeep.DiskUpkeep}, which {@link
 * dev.plumb.store.upkeep.UpkeepThreads} runs. {@link dev.plumb.store.upkeep.CrashRepair} and {@link
 * dev.plumb.store.upkeep.DatabaseRescue} work while a store is opened, {@link
 * dev.plumb.store.upkeep.DamagedFiles} when a query meets damage. For the rooms of {@code store}
 * alone; uses {@code write} and {@code segment}.
 */
package dev.plumb.store.upkeep;
