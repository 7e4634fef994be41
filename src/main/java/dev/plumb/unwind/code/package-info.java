/**
 * Rows for code that no call-frame information describes, or that it describes wrongly: small
 * functions and linker stubs by their instructions, landing pads, Go's own table. For {@code
 * dev.plumb.unwind} alone.
 *
 * <p>Start at {@code FunctionRows}.
 */
package dev.plumb.unwind.code;
