/**
 * One class a command. {@link dev.plumb.cli.Plumb} is the root: it finds the command, turns
 * failures into one line that says what to do, and sets the exit code.
 */
package dev.plumb.cli;
