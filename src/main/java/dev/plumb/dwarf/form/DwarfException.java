package dev.plumb.dwarf.form;

/** A part of the debug information is broken; caught within the package. */
public final class DwarfException extends RuntimeException {
  public DwarfException(String message) {
    // No stack trace: a broken file may lead here for every address.
    super(message, null, false, false);
  }
}
