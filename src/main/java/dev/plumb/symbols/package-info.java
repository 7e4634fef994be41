/**
 * Address → frames: kernel symbols, ELF symbols of mapped files, the vdso, inlined functions and
 * lines. Results are cached; the thread that reads samples never does a lookup.
 *
 * <p>Start at {@link dev.plumb.symbols.Symbolizer}. It keeps one {@code ElfModule} per file in a
 * {@code ModuleCache} with a memory limit. {@code FunctionTableBuilder} decides which symbols are
 * functions and which of several names is shown. {@code SymbolFile} has the symbols that were
 * stripped off a file, {@code PltNames} names the entries that lead to functions in other files,
 * {@code SourceFrames} reads debug information. {@code DebugFileResolver} finds and opens the other
 * files that belong to a file; {@code IndexFiles} saves on disk what takes long to find out about
 * large files.
 *
 * <p>Rooms: {@link dev.plumb.symbols.demangle} makes names readable, {@link
 * dev.plumb.symbols.debugfile} finds debug files, {@link dev.plumb.symbols.go} reads Go's own
 * table, {@link dev.plumb.symbols.jit} names code made at run time. {@code collect} and {@code cli}
 * use this package; it knows nothing of recordings.
 */
package dev.plumb.symbols;
