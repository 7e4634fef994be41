package dev.plumb.dwarf.form;

/** An attribute's value as encoded in an entry; the object is reused for the next one. */
public final class FormValue {
  /** A DW_FORM; 0 if there is no such attribute. */
  public int form;

  /** A number, an offset, an index; for strings and blocks, where they start. */
  public long bits;

  public boolean present() {
    return form != 0;
  }

  public void clear() {
    form = 0;
    bits = 0;
  }

  public void set(FormValue other) {
    form = other.form;
    bits = other.bits;
  }

  /** Whether it is an address, or the index of an address in {@code .debug_addr}. */
  public boolean isAddress() {
    return form == Dw.FORM_ADDR || isAddressIndex();
  }

  public boolean isAddressIndex() {
    return switch (form) {
      case Dw.FORM_ADDRX,
          Dw.FORM_ADDRX1,
          Dw.FORM_ADDRX2,
          Dw.FORM_ADDRX3,
          Dw.FORM_ADDRX4,
          Dw.FORM_GNU_ADDR_INDEX ->
          true;
      default -> false;
    };
  }

  public boolean isConstant() {
    return switch (form) {
      case Dw.FORM_DATA1,
          Dw.FORM_DATA2,
          Dw.FORM_DATA4,
          Dw.FORM_DATA8,
          Dw.FORM_UDATA,
          Dw.FORM_SDATA,
          Dw.FORM_IMPLICIT_CONST ->
          true;
      default -> false;
    };
  }

  /** Before DWARF 4 offsets into other sections were plain numbers. */
  public boolean isSectionOffset() {
    return form == Dw.FORM_SEC_OFFSET || form == Dw.FORM_DATA4 || form == Dw.FORM_DATA8;
  }
}
