package dev.plumb.export.file;

import dev.plumb.export.wire.FormatException;
import java.util.List;

/** Counts the lines of a text that could not be read, and remembers the first of them. */
public final class LeftOut {
  private static final int MAX_SHOWN = 80;

  private final String what;
  private long read;
  private long left;
  private String first = "";

  /**
   * @param what a line should have been
   */
  public LeftOut(String what) {
    this.what = what;
  }

  public void read() {
    read++;
  }

  public void left(long number, String line) {
    if (left++ == 0) {
      String shown = line.replaceAll("\\p{Cntrl}", " ").strip();
      first =
          "line %d: '%s'"
              .formatted(
                  number, shown.length() > MAX_SHOWN ? shown.substring(0, MAX_SHOWN) + "…" : shown);
    }
  }

  public boolean isMostRead() {
    return read > left;
  }

  /** The warning; refuses a text of which most lines could not be read. */
  public List<String> warnings() {
    if (left > 0 && !isMostRead()) {
      throw new FormatException(
          "%s: %d of %d lines cannot be read, first %s".formatted(what, left, left + read, first));
    }
    return left == 0
        ? List.of()
        : List.of("%d of %d lines left out, first %s".formatted(left, left + read, first));
  }
}
