package dev.plumb.dwarf;

/**
 * The functions of a unit and those inlined into them: address → innermost function → the one it is
 * inlined into, and so on. A function is known by where its entry is; names are read later.
 *
 * @param spans offset of an address → number of the function
 * @param entries where each function's entry is, from the unit's header on
 * @param outer the number of the function that it is inlined into, or -1
 */
record UnitFunctions(Spans spans, int[] entries, int[] outer) {
  static final UnitFunctions EMPTY =
      new UnitFunctions(new Spans(new int[0], new int[0]), new int[0], new int[0]);

  /** The innermost function at an address, or -1. */
  int find(long offset) {
    return spans.find(offset);
  }

  /** Where the function's entry is in {@code .debug_info}. */
  long entry(int function, Unit unit) {
    return unit.header.offset() + Integer.toUnsignedLong(entries[function]);
  }

  long bytes() {
    return 64 + spans.bytes() + 8L * entries.length;
  }
}
