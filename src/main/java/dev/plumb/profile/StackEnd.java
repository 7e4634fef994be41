package dev.plumb.profile;

/** How unwinding ended. Files contain the ordinals: add only at the end. */
public enum StackEnd {
  /** At the thread's start. */
  WHOLE("whole"),
  /** More frames than requested. */
  DEPTH("deeper than asked for"),
  /** The frame pointer led nowhere: most likely, the code has none. */
  NO_FRAME_POINTER("no frame pointer"),
  /** A stack page could not be read at that moment. */
  UNREADABLE("stack memory not readable"),
  /** An address in no mapping: the rest was left out. */
  UNMAPPED("address in no mapping"),
  /** The table describes this code in a way that is not supported. */
  UNSUPPORTED("unwind rule not supported"),
  /** The caller's frame would not be above: the stack is damaged, or a rule is wrong. */
  ASTRAY("stack does not go on upwards"),
  /** 32-bit code without frame pointers, the only means by which it is unwound. */
  NARROW("32-bit code without frame pointers"),
  /** Its unwind table was not ready, and there were too many such stacks to copy them all. */
  EARLY("unwind table not ready"),
  /** In code generated at run time: no file has a table for it. */
  GENERATED("JIT code without unwind tables"),
  /** A file gives a reason that only a later version knows. */
  OTHER("a reason that only a newer version knows"),
  /** There were too many stacks: only the leaf of this one was kept. */
  TOO_MANY("too many different stacks");

  private static final StackEnd[] ALL = values();

  private final String text;

  StackEnd(String text) {
    this.text = text;
  }

  /** The meaning of an ordinal in a file of any version. */
  public static StackEnd ofOrdinal(int ordinal) {
    return ordinal < ALL.length ? ALL[ordinal] : OTHER;
  }

  /** The meaning of a text in a file of any version. */
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
