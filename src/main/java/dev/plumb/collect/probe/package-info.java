/**
 * Probes that a user names: functions, tracepoints, USDT probes, system calls, counters.
 *
 * <p>Start at {@link dev.plumb.collect.probe.ProbeSpec}, which says what the words mean, then at
 * {@link dev.plumb.collect.probe.ProbeCollector}, the mode. {@code *Points} find and attach the
 * points of each kind of probe; {@link dev.plumb.collect.probe.Argument} and {@code ProbeTable} say
 * what is read at them.
 */
package dev.plumb.collect.probe;
