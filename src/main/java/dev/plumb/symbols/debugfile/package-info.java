/**
 * Where the symbols of stripped files are: separate debug files, found as gdb finds them on the
 * machine itself, and the small symbol table that some distributions pack into the file; and debug
 * files on servers ({@link dev.plumb.symbols.debugfile.Debuginfod}).
 *
 * <p>Start at {@link dev.plumb.symbols.debugfile.DebugFiles}. What is found belongs to the file it
 * was looked for or is refused: by build id, by checksum.
 */
package dev.plumb.symbols.debugfile;
