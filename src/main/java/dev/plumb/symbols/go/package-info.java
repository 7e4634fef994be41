/**
 * Functions and lines of Go programs, from the table that Go's own runtime uses; stripped programs
 * have it too.
 *
 * <p>Start at {@link dev.plumb.symbols.go.GoFunctions}, which {@code symbols} and {@code cli} use.
 * {@code unwind.code.GoStackTable} reads the stack depths from the same table.
 */
package dev.plumb.symbols.go;
