package dev.plumb.dwarf;

/**
 * The functions of a unit and those inlined into them: address → innermost function → the one it is
 * inlined into, and so on. A function is known by where its entry is; names are read later.
 *
 * @param unit that has the entries
 * @param spans offset of an address → number of the function
 * @param entries where each function's entry is, from the unit's header on
 * @param outer the number of the function that it is inlined into, or -1
 */
record UnitFunctions(Unit unit, Spans spans, int[] entries, int[] outer) {
  /** What is kept for a file that a unit was split off to: it has abbreviations of its own. */
  private static final long SPLIT = 32 << 10;

  static UnitFunctions none(Unit unit) {
    return new UnitFunctions(unit, new Spans(new int[0], new int[0]), new int[0], new int[0]);
  }

  /** The innermost function at an address, or -1. */
  int find(long offset) {
    return spans.find(offset);
  }

  /** What the function's entry says. */
  FunctionEntry entry(int function) {
    return FunctionEntry.read(
        unit, unit.header.offset() + Integer.toUnsignedLong(entries[function]));
  }

  long bytes() {
    return (unit.isSplit() ? SPLIT : 64) + spans.bytes() + 8L * entries.length;
  }
}
