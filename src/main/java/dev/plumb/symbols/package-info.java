/**
 * Address → frames: kernel symbols, ELF symbols of mapped files, the vdso. Late and cached: nothing
 * is looked up while samples come in.
 *
 * <p>Start at {@link dev.plumb.symbols.Symbolizer}. It keeps an {@code ElfModule} a file in a
 * {@code ModuleCache} with a ceiling in bytes; {@code FunctionTableBuilder} says which symbols are
 * functions and which of several names is shown.
 */
package dev.plumb.symbols;
