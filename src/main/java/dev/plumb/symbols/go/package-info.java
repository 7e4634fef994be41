/**
 * Functions and lines of Go programs, from the table that Go's own runtime uses: it is there in
 * stripped programs too.
 *
 * <p>Start at {@link dev.plumb.symbols.go.GoFunctions}.
 */
package dev.plumb.symbols.go;
