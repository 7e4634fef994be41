/**
 * Address → frames: kernel symbols, ELF symbols of mapped files, the vdso. Late and cached: nothing
 * is looked up while samples come in.
 *
 * <p>Start at {@link dev.plumb.symbols.Symbolizer}. It keeps an {@code ElfModule} a file in a
 * {@code ModuleCache} with a ceiling in bytes; {@code FunctionTableBuilder} says which symbols are
 * functions and which of several names is shown; {@code SymbolFile} has the symbols that were
 * stripped off a file. Below: names made readable ({@link dev.plumb.symbols.demangle}) and debug
 * files found ({@link dev.plumb.symbols.debugfile}).
 */
package dev.plumb.symbols;
