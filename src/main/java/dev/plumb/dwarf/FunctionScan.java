package dev.plumb.dwarf;

import dev.plumb.dwarf.form.Abbreviations;
import dev.plumb.dwarf.form.Dw;
import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.FormValue;
import dev.plumb.dwarf.form.Forms;
import dev.plumb.dwarf.form.SectionReader;
import java.util.Arrays;

/** Goes through the entries of a unit once, to make its {@link UnitFunctions}. */
final class FunctionScan {
  /** Deeper nesting is damage; compilers reach a few dozen. */
  private static final int MAX_DEPTH = 1 << 12;

  /** Bounds the memory of one unit. */
  private static final int MAX_FUNCTIONS = 1 << 20;

  private static final int NONE = -1;

  private final Unit unit;
  private final SectionReader in;
  private final Abbreviations table;
  private final SpanBuilder spans;
  private final RangeLists lists;
  private int[] entries = new int[256];
  private int[] outer = new int[256];

  /**
   * How deep each function is inlined. Where ranges overlap, the inlined function wins, whatever
   * the order: before DWARF 3, gcc describes the cold part of a function by a separate entry that
   * follows it.
   */
  private int[] ranks = new int[256];

  private int count;

  /** The number of the function that encloses the entries of each depth. */
  private int[] around = new int[64];

  private int depth;
  private final FormValue value = new FormValue();
  private final FormValue lowPc = new FormValue();
  private final FormValue highPc = new FormValue();
  private final FormValue ranges = new FormValue();

  private FunctionScan(Unit unit, CodeSpace space) {
    this.unit = unit;
    this.in = unit.entries();
    this.table = unit.file.abbreviations(unit.header);
    this.spans = new SpanBuilder(space, MAX_FUNCTIONS);
    this.lists =
        new RangeLists(
            (low, high) -> spans.add(low, high, count - 1, ranks[count - 1]),
            RangeLists.most(unit.file.sections) + unit.header.end() - unit.header.offset());
  }

  /** The functions of a unit; if it is damaged, those before the damage. */
  static UnitFunctions of(Unit unit, CodeSpace space) {
    if (!unit.header.readable()) {
      return UnitFunctions.none(unit);
    }
    try {
      FunctionScan scan = new FunctionScan(unit, space);
      scan.run();
      return scan.result();
    } catch (DwarfException e) {
      return UnitFunctions.none(unit);
    }
  }

  private UnitFunctions result() {
    return new UnitFunctions(
        unit, spans.build(), Arrays.copyOf(entries, count), Arrays.copyOf(outer, count));
  }

  private void run() {
    try {
      around[0] = NONE;
      do {
        next();
      } while (depth > 0 && !in.atEnd());
    } catch (DwarfException e) {
      // The functions before it are good.
      return;
    }
  }

  private void next() {
    long position = in.position();
    long code = in.uleb();
    if (code == 0) {
      depth--;
      return;
    }
    int abbreviation = table.find(code);
    int function = around[depth];
    switch (table.tag(abbreviation)) {
      case Dw.TAG_SUBPROGRAM, Dw.TAG_INLINED_SUBROUTINE ->
          function = function(abbreviation, position);
      case Dw.TAG_CLASS_TYPE,
          Dw.TAG_STRUCTURE_TYPE,
          Dw.TAG_UNION_TYPE,
          Dw.TAG_ENUMERATION_TYPE,
          Dw.TAG_SUBROUTINE_TYPE -> {
        if (skipType(abbreviation)) {
          return;
        }
        table.skip(abbreviation, in, unit.header);
      }
      default -> table.skip(abbreviation, in, unit.header);
    }
    if (table.hasChildren(abbreviation)) {
      if (++depth == around.length) {
        if (depth == MAX_DEPTH) {
          throw new DwarfException("entries nested too deep");
        }
        around = Arrays.copyOf(around, 2 * depth);
      }
      around[depth] = function;
    }
  }

  /**
   * Skips a type with everything inside it, which is most of a C++ unit. The compilers that say
   * where the sibling is (gcc does, LLVM does not) put no code into a type: methods are declared
   * there and defined outside.
   */
  private boolean skipType(int abbreviation) {
    int at = table.sibling(abbreviation);
    if (at < 0) {
      return false;
    }
    long attributes = in.position();
    in.skip(at);
    long next = unit.header.offset() + in.u32();
    boolean ahead = next >= in.position() && next < in.limit();
    in.seek(ahead ? next : attributes);
    return ahead;
  }

  /** Adds a function; returns its number, or NONE if it has no code. */
  private int function(int abbreviation, long position) {
    boolean inlined = table.tag(abbreviation) == Dw.TAG_INLINED_SUBROUTINE;
    if (!table.hasCode(abbreviation) && !(inlined && table.hasChildren(abbreviation))) {
      table.skip(abbreviation, in, unit.header);
      return NONE;
    }
    lowPc.clear();
    highPc.clear();
    ranges.clear();
    int last = table.firstAttribute(abbreviation + 1);
    for (int a = table.firstAttribute(abbreviation); a < last; a++) {
      switch (table.name(a)) {
        case Dw.AT_LOW_PC -> read(a, lowPc);
        case Dw.AT_HIGH_PC -> read(a, highPc);
        case Dw.AT_RANGES -> read(a, ranges);
        default -> table.skipAttribute(a, in, unit.header);
      }
    }
    int number = add(position, inlined ? around[depth] : NONE);
    try {
      lists.visit(unit, lowPc, highPc, ranges);
    } catch (DwarfException e) {
      // Damage in its ranges costs this function alone.
      return number;
    }
    return number;
  }

  private void read(int attribute, FormValue into) {
    Forms.read(in, table.form(attribute), table.constant(attribute), unit.header, value);
    into.set(value);
  }

  private int add(long position, int into) {
    if (count == MAX_FUNCTIONS) {
      throw new DwarfException("too many functions");
    }
    if (count == entries.length) {
      entries = Arrays.copyOf(entries, 2 * count);
      outer = Arrays.copyOf(outer, 2 * count);
      ranks = Arrays.copyOf(ranks, 2 * count);
    }
    entries[count] = (int) (position - unit.header.offset());
    outer[count] = into;
    ranks[count] = into < 0 ? 0 : ranks[into] + 1;
    return count++;
  }
}
