/**
 * What commands share that run for long: signals ({@link dev.plumb.cli.run.Interrupts}), the
 * command that is recorded ({@link dev.plumb.cli.run.Workload}), handing over ({@link
 * dev.plumb.cli.run.HandOver}) and pushing ({@link dev.plumb.cli.run.Pushing}) on threads of their
 * own.
 */
package dev.plumb.cli.run;
