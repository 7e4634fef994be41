/**
 * Address → frames: kernel symbols, ELF symbols of mapped files, the vdso. Late and cached: nothing
 * is looked up while samples come in.
 *
 * <p>Start at {@link dev.plumb.symbols.Symbolizer}.
 */
package dev.plumb.symbols;
