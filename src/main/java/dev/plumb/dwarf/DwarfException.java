package dev.plumb.dwarf;

/** A part of the debug information is broken; caught within the package. */
final class DwarfException extends RuntimeException {
  DwarfException(String message) {
    // No stack trace: a broken file may lead here for every address.
    super(message, null, false, false);
  }
}
