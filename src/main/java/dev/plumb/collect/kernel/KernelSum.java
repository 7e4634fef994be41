package dev.plumb.collect.kernel;

/**
 * What the events of about one second with the same stack, thread and detail amount to.
 *
 * @param time when it was taken
 * @param detail what else the mode distinguishes
 * @param value its meaning depends on the mode, like that of {@code extra}
 */
public record KernelSum(
    long time, long stack, long detail, int tid, long count, long value, long extra) {}
