/**
 * Unwinding: how to get from a frame to its caller without frame pointers.
 *
 * <p>Start at {@link dev.plumb.unwind.UnwindTables}. It makes an {@link
 * dev.plumb.unwind.rule.UnwindTable}, rows of {address, rule}, from a file's call-frame information
 * ({@code dwarf.cfi}) and from what {@code unwind.code} learns from its instructions. The kernel
 * side unwinds with the same tables; {@link dev.plumb.unwind.StackUnwinder} unwinds in user space
 * what the kernel side could not. {@code collect} uses this package.
 */
package dev.plumb.unwind;
