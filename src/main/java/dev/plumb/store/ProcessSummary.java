package dev.plumb.store;

/**
 * What one process had of a selection.
 *
 * @param startNanos when it started, wall clock; 0 if unknown
 * @param samples how many samples the value is made of
 * @param cut samples whose stack is not whole
 * @param unnamed samples whose leaf has no name
 */
public record ProcessSummary(
    int pid,
    long startNanos,
    String comm,
    String container,
    String cgroup,
    int threads,
    long value,
    long samples,
    long cut,
    long unnamed) {}
