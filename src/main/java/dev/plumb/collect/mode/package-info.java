/**
 * The contract of a mode, {@link dev.plumb.collect.mode.Collector}, what modes share ({@link
 * dev.plumb.collect.mode.SummingCollector}, {@link dev.plumb.collect.mode.SampleSink}), and the
 * modes for CPU, load, I/O, block devices, the page cache, readahead, faults and forks.
 *
 * <p>Start at {@code ForkCollector}, the smallest one; {@code docs/new-collector.md} adds a mode.
 */
package dev.plumb.collect.mode;
