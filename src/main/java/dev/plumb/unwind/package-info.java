/**
 * From a frame to its caller, without frame pointers.
 *
 * <p>{@link dev.plumb.unwind.UnwindTables} makes an {@link dev.plumb.unwind.rule.UnwindTable} of a
 * file's call-frame information ({@code dwarf.cfi}) and of what {@code unwind.code} reads from its
 * instructions: rows of {address, rule}. The kernel side unwinds by the same tables; {@link
 * dev.plumb.unwind.StackUnwinder} unwinds here what the kernel side could not.
 */
package dev.plumb.unwind;
