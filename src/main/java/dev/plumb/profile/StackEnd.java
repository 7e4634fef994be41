package dev.plumb.profile;

/** How unwinding ended. Files hold the ordinals: add at the end. */
public enum StackEnd {
  /** At the thread's start. */
  WHOLE("whole"),
  /** More frames than were asked for. */
  DEPTH("deeper than asked for"),
  /** The frame pointer did not lead on: code without frame pointers, most likely. */
  NO_FRAME_POINTER("no frame pointer"),
  /** A stack page could not be read at that moment. */
  UNREADABLE("stack memory not readable"),
  /** An address that no mapping holds: the rest was left out. */
  UNMAPPED("address in no mapping"),
  /** The table describes this code in a way that is not supported. */
  UNSUPPORTED("unwind rule not supported"),
  /** The caller's frame would not lie above: the stack is damaged, or a rule is wrong. */
  ASTRAY("stack does not go on upwards"),
  /** 32-bit code, which is unwound by frame pointers only, and this has none. */
  NARROW("32-bit code without frame pointers"),
  /** Met before its unwind table was made, and there were too many such stacks to copy them all. */
  EARLY("unwind table not ready"),
  /** In code that was made while the program ran: no file has a table for it. */
  GENERATED("JIT code without unwind tables"),
  /** A file says why, in a way that only a later version knows. */
  OTHER("a reason that only a newer version knows"),
  /** There was no room for more stacks: of this one only the leaf was kept. */
  TOO_MANY("too many different stacks");

  private static final StackEnd[] ALL = values();

  private final String text;

  StackEnd(String text) {
    this.text = text;
  }

  /** What a file means by an ordinal, whichever version wrote it. */
  public static StackEnd ofOrdinal(int ordinal) {
    return ordinal < ALL.length ? ALL[ordinal] : OTHER;
  }

  /** What a file means by a text, whichever version wrote it. */
  public static StackEnd ofText(String text) {
    for (StackEnd end : ALL) {
      if (end.text.equals(text)) {
        return end;
      }
    }
    return OTHER;
  }

  /** For people. */
  public String text() {
    return text;
  }
}
