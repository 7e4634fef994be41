/**
 * From a frame to its caller, without frame pointers.
 *
 * <p>An {@link dev.plumb.unwind.UnwindTable} is made of a file's call-frame information ({@code
 * dwarf.cfi}) by {@link dev.plumb.unwind.UnwindTables}: rows of {address, rule}. The kernel side
 * unwinds by the same tables; what it cannot unwind is unwound here, by {@link
 * dev.plumb.unwind.StackUnwinder}.
 */
package dev.plumb.unwind;
