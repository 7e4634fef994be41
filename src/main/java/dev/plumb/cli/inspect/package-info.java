/**
 * Commands that look at something once: {@code stack}, {@code symbols}, {@code list}. Each is a
 * class of its own; {@link dev.plumb.cli.inspect.StackCommand} is the smallest.
 */
package dev.plumb.cli.inspect;
