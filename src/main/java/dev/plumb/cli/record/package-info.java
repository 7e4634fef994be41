/**
 * {@code plumb record} and {@code plumb top}. Start at {@link dev.plumb.cli.record.RecordCommand};
 * {@link dev.plumb.cli.record.RecordPlan} says when it cuts, {@link
 * dev.plumb.cli.record.PartsOnDisk} writes what is recorded to disk while it is taken.
 */
package dev.plumb.cli.record;
