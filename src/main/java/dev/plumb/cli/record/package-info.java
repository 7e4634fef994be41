/**
 * {@code plumb record} and {@code plumb top}. Start at {@link dev.plumb.cli.record.RecordCommand};
 * {@link dev.plumb.cli.record.PartsOnDisk} keeps what is recorded on disk as it is taken.
 */
package dev.plumb.cli.record;
