/**
 * Debug information (DWARF 2 to 5): the functions that were inlined at an address, and source
 * lines.
 *
 * <p>Start at {@link dev.plumb.dwarf.DebugInfo}. An address leads to a compilation unit ({@code
 * UnitIndex}); at the first lookup in it, the unit is scanned once to make a table of address →
 * function ({@code UnitFunctions}), and its line program runs once ({@code LineTable}); both are
 * columns of ints in a bounded cache. Names are read only when needed. The places of the units may
 * be saved for the next run ({@code UnitStore}).
 *
 * <p>Total on any input: broken parts count as missing. {@code symbols} uses this package, and
 * {@code unwind} uses {@code dwarf.cfi}; it uses {@code elf} only.
 */
package dev.plumb.dwarf;
