package dev.plumb.elf;

/** A view on a symbol table; nothing is copied until a name is asked for. */
public final class SymbolTable {
  public static final int STT_NOTYPE = 0;
  public static final int STT_OBJECT = 1;
  public static final int STT_FUNC = 2;
  public static final int STT_SECTION = 3;
  public static final int STT_GNU_IFUNC = 10;
  public static final int STB_LOCAL = 0;
  public static final int STB_GLOBAL = 1;
  public static final int STB_WEAK = 2;
  public static final int SHN_UNDEF = 0;
  public static final int SHN_ABS = 0xfff1;
  public static final int SHN_COMMON = 0xfff2;

  public int size() {
    throw new UnsupportedOperationException();
  }

  public String name(int symbol) {
    throw new UnsupportedOperationException();
  }

  /** For executables an ELF address, for relocatable files an offset in the section. */
  public long value(int symbol) {
    throw new UnsupportedOperationException();
  }

  public long size(int symbol) {
    throw new UnsupportedOperationException();
  }

  /** STT_…. */
  public int type(int symbol) {
    throw new UnsupportedOperationException();
  }

  /** STB_…. */
  public int binding(int symbol) {
    throw new UnsupportedOperationException();
  }

  /** The section it is defined in, extended numbering resolved; SHN_UNDEF if it is not. */
  public int section(int symbol) {
    throw new UnsupportedOperationException();
  }
}
