/**
 * Call-frame information: the compiler's description of how to get from a function to its caller,
 * in {@code .eh_frame} and {@code .debug_frame} (DWARF 5 section 6.4, LSB 5 section 10.6). Total: a
 * damaged entry affects only its own function and is counted.
 *
 * <p>Start at {@link dev.plumb.dwarf.cfi.CallFrames}. {@code unwind} makes its tables from it; it
 * uses {@code elf} only.
 */
package dev.plumb.dwarf.cfi;
