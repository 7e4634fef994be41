package dev.plumb.dwarf;

/**
 * The functions of a unit and those inlined into them: address → innermost function → the one it is
 * inlined into, and so on. A function is identified by the place of its entry; names are read
 * later.
 *
 * @param unit the unit that has the entries
 * @param spans offset of an address → number of the function
 * @param entries the offset of each function's entry from the unit's header
 * @param outer the number of the function that it is inlined into, or -1
 */
record UnitFunctions(Unit unit, Spans spans, int[] entries, int[] outer) {
  /** The extra memory for a split unit's file, which has abbreviations of its own. */
  private static final long SPLIT = 32 << 10;

  static UnitFunctions none(Unit unit) {
    return new UnitFunctions(unit, new Spans(new int[0], new int[0]), new int[0], new int[0]);
  }

  /** The innermost function at an address, or -1. */
  int find(long offset) {
    return spans.find(offset);
  }

  /** Reads the function's entry. */
  FunctionEntry entry(int function) {
    return FunctionEntry.read(
        unit, unit.header.offset() + Integer.toUnsignedLong(entries[function]));
  }

  long bytes() {
    return (unit.isSplit() ? SPLIT : 64) + spans.bytes() + 8L * entries.length;
  }
}
