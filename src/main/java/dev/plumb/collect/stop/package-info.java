/**
 * {@code plumb stack}: stops a process for a moment and reads the stacks of its threads.
 *
 * <p>Start at {@link dev.plumb.collect.stop.ProcessStackReader}. {@link
 * dev.plumb.collect.stop.ProcessStopper} stops the threads by ptrace; as little code as possible
 * runs meanwhile.
 */
package dev.plumb.collect.stop;
