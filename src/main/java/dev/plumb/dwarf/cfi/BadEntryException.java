package dev.plumb.dwarf.cfi;

/** This entry cannot be understood. One object for all, as a hostile file may have millions. */
final class BadEntryException extends RuntimeException {
  static final BadEntryException INSTANCE = new BadEntryException();

  private BadEntryException() {
    super("bad call-frame entry", null, false, false);
  }
}
