/**
 * Debug information (DWARF 2 to 5): the functions that were inlined at an address, and source
 * lines.
 *
 * <p>Start at {@link dev.plumb.dwarf.DebugInfo}. An address leads to a compilation unit ({@code
 * UnitIndex}); the unit is scanned once, on the first address in it, to a table of address →
 * function ({@code UnitFunctions}) and its line program is run once ({@code LineTable}); both are
 * columns of ints in a bounded cache. Names are read when they are asked for. Where the units are
 * may be kept for the next run ({@code UnitStore}).
 *
 * <p>Total on any input: broken parts are as if they were missing.
 */
package dev.plumb.dwarf;
