/**
 * The rows of unwind tables. Start at {@link dev.plumb.unwind.rule.UnwindRule}, which says how to
 * get from a frame to its caller; {@link dev.plumb.unwind.rule.UnwindTable} has one for each
 * address. {@code unwind} fills the tables, {@code collect} loads them into the kernel.
 */
package dev.plumb.unwind.rule;
