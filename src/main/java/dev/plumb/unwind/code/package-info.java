/**
 * Rows for code that call-frame information does not describe, or describes wrongly: small
 * functions and linker stubs by their instructions, landing pads, Go's own table. Only {@code
 * dev.plumb.unwind} may use it.
 *
 * <p>Start at {@code FunctionRows}, which takes rows from call-frame information; each other {@code
 * …Rows} has one more source.
 */
package dev.plumb.unwind.code;
