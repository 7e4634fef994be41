package dev.plumb.store;

/**
 * One process's part of a selection.
 *
 * @param startNanos when the process started, wall clock; 0 if unknown
 * @param samples the number of samples behind the value
 * @param cut samples with an incomplete stack
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
