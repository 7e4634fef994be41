/**
 * Unwind tables for the kernel side, and the unwinding of stacks that it had to copy.
 *
 * <p>Start at {@link dev.plumb.collect.tables.Unwinding}. {@link
 * dev.plumb.collect.tables.ProcessUnwinder} unwinds in user space, {@link
 * dev.plumb.collect.tables.TableMaker} makes tables on a thread of its own, {@link
 * dev.plumb.collect.tables.TableMemory} and {@link dev.plumb.collect.tables.RegionLists} write them
 * into the kernel's maps, {@link dev.plumb.collect.tables.PendingCopies} keeps copies that wait for
 * a table. For {@code dev.plumb.collect} alone.
 */
package dev.plumb.collect.tables;
