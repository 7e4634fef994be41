/**
 * Finds the symbols of stripped files: in separate debug files on this machine, in the order of
 * gdb; in the small compressed symbol table that some distributions put into the file itself
 * ({@link dev.plumb.symbols.debugfile.MiniDebugInfo}); and on servers ({@link
 * dev.plumb.symbols.debugfile.Debuginfod}).
 *
 * <p>Start at {@link dev.plumb.symbols.debugfile.DebugFiles}. A file that was found is used only if
 * its build id or its checksum shows that it belongs to the file in question. Besides {@code
 * symbols}, {@code collect} and {@code cli} use it.
 */
package dev.plumb.symbols.debugfile;
