/**
 * How a command ends: {@link dev.plumb.cli.outcome.ExitCode}, and the line that {@link
 * dev.plumb.cli.outcome.Failures} makes of an exception.
 */
package dev.plumb.cli.outcome;
