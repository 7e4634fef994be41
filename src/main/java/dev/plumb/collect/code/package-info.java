/**
 * Places in the code of programs: libraries by their names, functions by their symbols, offsets
 * where a probe may be put.
 *
 * <p>Start at {@link dev.plumb.collect.code.Libraries} and {@link
 * dev.plumb.collect.code.FunctionSymbols}. Pure but for the files that are read; nothing here
 * attaches anything.
 */
package dev.plumb.collect.code;
