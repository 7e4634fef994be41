package dev.plumb.export.wire;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads lines of text; refuses a line that is too long. */
public final class LineReader {
  /** A thousand frames with names of sixteen thousand characters. */
  static final int MAX_LINE = 16 << 20;

  /** The byte order mark that some editors write. */
  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final InputStream in;
  private final byte[] buffer = new byte[64 * 1024];
  private byte[] line = new byte[1024];
  private int at;
  private int end;
  private long number;

  public LineReader(InputStream in) {
    this.in = in;
  }

  /** The number of the last line that was read, from 1. */
  public long number() {
    return number;
  }

  /** The next line without its end, or null after the last. */
  public String next() throws IOException {
    int length = 0;
    boolean any = false;
    while (true) {
      if (at == end) {
        end = Math.max(0, in.read(buffer));
        at = 0;
        if (end == 0) {
          break;
        }
      }
      any = true;
      int stop = at;
      while (stop < end && buffer[stop] != '\n') {
        stop++;
      }
      length = append(length, stop);
      boolean whole = stop < end;
      at = whole ? stop + 1 : stop;
      if (whole) {
        break;
      }
    }
    if (!any) {
      return null;
    }
    number++;
    if (length > 0 && line[length - 1] == '\r') {
      length--;
    }
    String text = new String(line, 0, length, StandardCharsets.UTF_8);
    return number == 1 && text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  private int append(int length, int stop) {
    int count = stop - at;
    if (length + count > MAX_LINE) {
      throw new FormatException(
          "line %d is longer than %d MB: this is no text of stacks"
              .formatted(number + 1, MAX_LINE >> 20));
    }
    if (length + count > line.length) {
      line = Arrays.copyOf(line, Math.max(line.length * 2, length + count));
    }
    System.arraycopy(buffer, at, line, length, count);
    return length + count;
  }
}
