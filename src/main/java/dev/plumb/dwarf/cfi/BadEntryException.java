package dev.plumb.dwarf.cfi;

/** An entry cannot be parsed. One object for all, because a hostile file may have millions. */
final class BadEntryException extends RuntimeException {
  static final BadEntryException INSTANCE = new BadEntryException();

  private BadEntryException() {
    super("bad call-frame entry", null, false, false);
  }
}
