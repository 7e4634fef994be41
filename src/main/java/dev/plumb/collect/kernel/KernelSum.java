package dev.plumb.collect.kernel;

/**
 * What events with the same stack, thread and detail amount to, added up by the kernel side in
 * about a second.
 *
 * @param time when it was taken
 * @param detail the mode's own
 * @param value the mode's own, as is {@code extra}
 */
public record KernelSum(
    long time, long stack, long detail, int tid, long count, long value, long extra) {}
