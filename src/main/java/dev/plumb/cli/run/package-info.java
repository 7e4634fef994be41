/**
 * What commands share that run for long. Start at {@link dev.plumb.cli.run.RecordingLoop}, the life
 * of a recording. The rest: signals ({@link dev.plumb.cli.run.Interrupts}), the command that is
 * recorded ({@link dev.plumb.cli.run.Workload}), handing recordings over ({@link
 * dev.plumb.cli.run.HandOver}) and pushing them ({@link dev.plumb.cli.run.Pushing}) on separate
 * threads.
 */
package dev.plumb.cli.run;
