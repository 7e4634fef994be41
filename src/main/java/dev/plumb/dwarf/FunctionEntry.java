package dev.plumb.dwarf;

import dev.plumb.dwarf.form.Abbreviations;
import dev.plumb.dwarf.form.Dw;
import dev.plumb.dwarf.form.DwarfException;
import dev.plumb.dwarf.form.FormValue;
import dev.plumb.dwarf.form.Forms;
import dev.plumb.dwarf.form.SectionReader;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What the entry of a function says about it, together with the entries that it refers to: an
 * inlined function refers to its abstract origin, a method's code to its declaration in the class.
 *
 * @param inlined whether it is an inlined function
 * @param callFile for an inlined function, the number of the file that calls it
 */
record FunctionEntry(
    String name, String linkageName, boolean inlined, long callFile, int callLine) {
  /** Entries on the way to a name; more means a cycle. */
  private static final int MAX_STEPS = 16;

  /** Where an entry is. */
  private record Place(Unit unit, long offset) {}

  static FunctionEntry read(Unit unit, long infoOffset) {
    return new Reading().run(new Place(unit, infoOffset));
  }

  /** Follows references from an entry to its names. */
  private static final class Reading {
    private final FormValue value = new FormValue();
    private final FormValue origin = new FormValue();
    private final FormValue specification = new FormValue();
    private final Deque<Place> open = new ArrayDeque<>();
    private String name = "";
    private String linkageName = "";
    private boolean inlined;
    private long callFile;
    private int callLine;

    FunctionEntry run(Place first) {
      open.push(first);
      for (int step = 0; step < MAX_STEPS && !open.isEmpty() && !complete(); step++) {
        try {
          step(open.pop(), step == 0);
        } catch (DwarfException e) {
          // Another reference may lead there.
          continue;
        }
      }
      return new FunctionEntry(name, linkageName, inlined, callFile, callLine);
    }

    private boolean complete() {
      return !name.isEmpty() && !linkageName.isEmpty();
    }

    private void step(Place place, boolean first) {
      Unit unit = place.unit();
      SectionReader in = unit.entries().seek(place.offset());
      Abbreviations table = unit.file.abbreviations(unit.header);
      int abbreviation = table.find(in.uleb());
      origin.clear();
      specification.clear();
      int last = table.firstAttribute(abbreviation + 1);
      for (int a = table.firstAttribute(abbreviation); a < last; a++) {
        int attribute = table.name(a);
        if (isOfUse(attribute)) {
          Forms.read(in, table.form(a), table.constant(a), unit.header, value);
          take(attribute, unit, first);
        } else {
          table.skipAttribute(a, in, unit.header);
        }
      }
      if (first) {
        inlined = table.tag(abbreviation) == Dw.TAG_INLINED_SUBROUTINE;
      }
      // The declaration is read first, because it was put on top.
      follow(origin, unit);
      follow(specification, unit);
    }

    private static boolean isOfUse(int attribute) {
      return switch (attribute) {
        case Dw.AT_NAME,
            Dw.AT_LINKAGE_NAME,
            Dw.AT_MIPS_LINKAGE_NAME,
            Dw.AT_ABSTRACT_ORIGIN,
            Dw.AT_SPECIFICATION,
            Dw.AT_CALL_FILE,
            Dw.AT_CALL_LINE ->
            true;
        default -> false;
      };
    }

    private void take(int attribute, Unit unit, boolean first) {
      switch (attribute) {
        case Dw.AT_NAME -> name = name.isEmpty() ? unit.file.string(value, unit) : name;
        case Dw.AT_LINKAGE_NAME, Dw.AT_MIPS_LINKAGE_NAME ->
            linkageName = linkageName.isEmpty() ? unit.file.string(value, unit) : linkageName;
        case Dw.AT_ABSTRACT_ORIGIN -> origin.set(value);
        case Dw.AT_SPECIFICATION -> specification.set(value);
        case Dw.AT_CALL_FILE -> callFile = first && value.isConstant() ? value.bits : callFile;
        default -> callLine = first && value.isConstant() ? (int) value.bits : callLine;
      }
    }

    private void follow(FormValue reference, Unit unit) {
      if (!reference.present()) {
        return;
      }
      switch (reference.form) {
        case Dw.FORM_REF1, Dw.FORM_REF2, Dw.FORM_REF4, Dw.FORM_REF8, Dw.FORM_REF_UDATA -> {
          if (reference.bits >= 0 && reference.bits < unit.header.end() - unit.header.offset()) {
            open.push(new Place(unit, unit.header.offset() + reference.bits));
          }
        }
        case Dw.FORM_REF_ADDR -> open.push(at(unit.file, reference.bits));
        case Dw.FORM_GNU_REF_ALT, Dw.FORM_REF_SUP4, Dw.FORM_REF_SUP8 -> {
          if (unit.file.alternate.isPresent()) {
            open.push(at(unit.file.alternate.get(), reference.bits));
          }
        }
        default -> {
          // A type unit; it has no functions.
        }
      }
    }

    private static Place at(DwarfFile file, long infoOffset) {
      return new Place(file.unitOf(infoOffset), infoOffset);
    }
  }
}
