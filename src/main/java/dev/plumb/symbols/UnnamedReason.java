package dev.plumb.symbols;

/** Why an address has no name. */
public enum UnnamedReason {
  KERNEL("no kernel symbol"),
  ANONYMOUS("memory without a file"),
  UNREADABLE("file could not be opened"),
  BROKEN("broken ELF file"),
  TOO_LARGE("symbol table larger than the memory for it"),
  NO_SYMBOLS("no function symbols: stripped"),
  OUTSIDE("address outside of the file's segments"),
  BETWEEN("between functions"),
  FOREIGN_VDSO("vdso of a 32-bit process");

  private final String text;

  UnnamedReason(String text) {
    this.text = text;
  }

  /** The reason as users read it. */
  public String text() {
    return text;
  }
}
