package dev.plumb.dwarf.form;

/** Reads and skips attributes by their form, which says how they are encoded. */
public final class Forms {
  static final int SKIP_LEB = -1;
  static final int SKIP_STRING = -2;
  static final int SKIP_BLOCK1 = -3;
  static final int SKIP_BLOCK2 = -4;
  static final int SKIP_BLOCK4 = -5;
  static final int SKIP_BLOCK = -6;
  static final int SKIP_INDIRECT = -7;

  private Forms() {}

  /** The size of a form in bytes; if it varies, one of the SKIP constants. */
  static int skip(int form, UnitHeader shape) {
    return switch (form) {
      case Dw.FORM_FLAG_PRESENT, Dw.FORM_IMPLICIT_CONST -> 0;
      case Dw.FORM_DATA1, Dw.FORM_FLAG, Dw.FORM_REF1, Dw.FORM_STRX1, Dw.FORM_ADDRX1 -> 1;
      case Dw.FORM_DATA2, Dw.FORM_REF2, Dw.FORM_STRX2, Dw.FORM_ADDRX2 -> 2;
      case Dw.FORM_STRX3, Dw.FORM_ADDRX3 -> 3;
      case Dw.FORM_DATA4, Dw.FORM_REF4, Dw.FORM_STRX4, Dw.FORM_ADDRX4, Dw.FORM_REF_SUP4 -> 4;
      case Dw.FORM_DATA8, Dw.FORM_REF8, Dw.FORM_REF_SIG8, Dw.FORM_REF_SUP8 -> 8;
      case Dw.FORM_DATA16 -> 16;
      case Dw.FORM_ADDR -> shape.addressSize();
      case Dw.FORM_REF_ADDR -> shape.version() == 2 ? shape.addressSize() : shape.offsetSize();
      case Dw.FORM_STRP,
          Dw.FORM_LINE_STRP,
          Dw.FORM_SEC_OFFSET,
          Dw.FORM_STRP_SUP,
          Dw.FORM_GNU_REF_ALT,
          Dw.FORM_GNU_STRP_ALT ->
          shape.offsetSize();
      case Dw.FORM_SDATA,
          Dw.FORM_UDATA,
          Dw.FORM_REF_UDATA,
          Dw.FORM_STRX,
          Dw.FORM_ADDRX,
          Dw.FORM_LOCLISTX,
          Dw.FORM_RNGLISTX,
          Dw.FORM_GNU_ADDR_INDEX,
          Dw.FORM_GNU_STR_INDEX ->
          SKIP_LEB;
      case Dw.FORM_STRING -> SKIP_STRING;
      case Dw.FORM_BLOCK1 -> SKIP_BLOCK1;
      case Dw.FORM_BLOCK2 -> SKIP_BLOCK2;
      case Dw.FORM_BLOCK4 -> SKIP_BLOCK4;
      case Dw.FORM_BLOCK, Dw.FORM_EXPRLOC -> SKIP_BLOCK;
      case Dw.FORM_INDIRECT -> SKIP_INDIRECT;
      default -> throw new DwarfException("unknown form " + form);
    };
  }

  static void skipVariable(int skip, SectionReader in, UnitHeader shape) {
    switch (skip) {
      case SKIP_LEB -> in.skipLeb();
      case SKIP_STRING -> in.skipString();
      case SKIP_BLOCK1 -> in.skip(in.u8());
      case SKIP_BLOCK2 -> in.skip(in.u16());
      case SKIP_BLOCK4 -> in.skip(in.u32());
      case SKIP_BLOCK -> in.skip(in.uleb());
      default -> skip(in, indirect(in), shape);
    }
  }

  static void skip(SectionReader in, int form, UnitHeader shape) {
    int skip = skip(form, shape);
    if (skip >= 0) {
      in.skip(skip);
    } else {
      skipVariable(skip, in, shape);
    }
  }

  /** Reads the form from the entry itself; it is never indirect again, nor one without bytes. */
  private static int indirect(SectionReader in) {
    long form = in.uleb();
    if (form == Dw.FORM_INDIRECT || form == Dw.FORM_IMPLICIT_CONST || form != (char) form) {
      throw new DwarfException("form " + form + " by way of an indirect one");
    }
    return (int) form;
  }

  /** Reads an attribute's value. */
  public static void read(
      SectionReader in, int form, long constant, UnitHeader shape, FormValue value) {
    int real = form == Dw.FORM_INDIRECT ? indirect(in) : form;
    value.form = real;
    value.bits = bits(in, real, constant, shape);
  }

  /** A number, an offset, an index; for strings and blocks, where they start. */
  private static long bits(SectionReader in, int form, long constant, UnitHeader shape) {
    switch (form) {
      case Dw.FORM_FLAG_PRESENT:
        return 1;
      case Dw.FORM_IMPLICIT_CONST:
        return constant;
      case Dw.FORM_SDATA:
        return in.sleb();
      case Dw.FORM_STRX3, Dw.FORM_ADDRX3:
        return in.u24();
      case Dw.FORM_STRING, Dw.FORM_DATA16:
        long start = in.position();
        skip(in, form, shape);
        return start;
      default:
        int size = skip(form, shape);
        if (size == SKIP_LEB) {
          return in.uleb();
        }
        if (size > 0) {
          return in.unsigned(size);
        }
        long block = in.position();
        skipVariable(size, in, shape);
        return block;
    }
  }
}
