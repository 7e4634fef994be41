/**
 * Address → frames: kernel symbols, ELF symbols of mapped files, the vdso, inlined functions and
 * lines. Cached, and never asked by the thread that reads samples.
 *
 * <p>Start at {@link dev.plumb.symbols.Symbolizer}. It keeps an {@code ElfModule} a file in a
 * {@code ModuleCache} with a ceiling in bytes; {@code FunctionTableBuilder} says which symbols are
 * functions and which of several names is shown; {@code SymbolFile} has the symbols that were
 * stripped off a file, {@code PltNames} what leads to functions of other files, {@code
 * SourceFrames} what debug information tells. {@code IndexFiles} keeps on disk what takes long to
 * find out of large files. Below: names made readable ({@link dev.plumb.symbols.demangle}), debug
 * files found ({@link dev.plumb.symbols.debugfile}), Go's own table ({@link dev.plumb.symbols.go}),
 * code made at run time ({@link dev.plumb.symbols.jit}).
 */
package dev.plumb.symbols;
