/**
 * The modes that measure waiting: off-CPU time, locks, run queues.
 *
 * <p>Start at {@code RunQueueCollector}. For {@code dev.plumb.collect} alone.
 */
package dev.plumb.collect.wait;
