/**
 * {@code plumb stack}: stops a process for a moment and reads the stacks of its threads.
 *
 * <p>Start at {@link dev.plumb.collect.stop.ProcessStackReader}. {@link
 * dev.plumb.collect.stop.ProcessStopper} holds the threads by ptrace; what runs while they stand
 * still is as little as can be.
 */
package dev.plumb.collect.stop;
