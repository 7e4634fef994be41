package dev.plumb.linux.proc;

import java.nio.charset.StandardCharsets;

/** A position in a line of bytes; reads numbers and words without making objects. */
public final class ByteCursor {
  private byte[] bytes = {};
  private int at;
  private int end;

  public ByteCursor on(byte[] line, int from, int to) {
    bytes = line;
    at = from;
    end = to;
    return this;
  }

  int at() {
    return at;
  }

  int end() {
    return end;
  }

  boolean atEnd() {
    return at >= end;
  }

  /** The byte here, or -1 at the end. */
  int peek() {
    return at < end ? bytes[at] : -1;
  }

  /** The byte here, or -1; moves past it. */
  int next() {
    return at < end ? bytes[at++] : -1;
  }

  ByteCursor skip(int count) {
    at = Math.min(end, at + count);
    return this;
  }

  /** Moves past the next byte with this value, or to the end. */
  ByteCursor skipPast(char wanted) {
    while (at < end && bytes[at++] != wanted) {}
    return this;
  }

  ByteCursor skipBlanks() {
    while (at < end && (bytes[at] == ' ' || bytes[at] == '\t')) {
      at++;
    }
    return this;
  }

  /** Moves past this word and the blanks after it. */
  ByteCursor skipWord() {
    while (at < end && bytes[at] != ' ' && bytes[at] != '\t') {
      at++;
    }
    return skipBlanks();
  }

  /** Reads a decimal number, which may be negative; stops after it. */
  long decimal() {
    boolean negative = peek() == '-';
    if (negative) {
      at++;
    }
    long value = 0;
    while (at < end) {
      int digit = bytes[at] - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      value = value * 10 + digit;
      at++;
    }
    return negative ? -value : value;
  }

  /** Reads a hexadecimal number in lower case, as the kernel writes it; stops after it. */
  long hex() {
    long value = 0;
    while (at < end) {
      int b = bytes[at];
      int digit = b <= '9' ? b - '0' : b - 'a' + 10;
      if (digit < 0 || digit > 15 || (b > '9' && b < 'a')) {
        break;
      }
      value = value << 4 | digit;
      at++;
    }
    return value;
  }

  /** Reads up to the next blank or the end, and stops there. */
  String word() {
    int start = at;
    while (at < end && bytes[at] != ' ' && bytes[at] != '\t') {
      at++;
    }
    return text(bytes, start, at);
  }

  /** The rest of the line. */
  public String rest() {
    String text = text(bytes, at, end);
    at = end;
    return text;
  }

  /** Whether these ASCII characters come next; if so, moves past them. */
  boolean accept(String wanted) {
    int length = wanted.length();
    if (end - at < length) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (bytes[at + i] != wanted.charAt(i)) {
        return false;
      }
    }
    at += length;
    return true;
  }

  public static String text(byte[] bytes, int start, int end) {
    return new String(bytes, start, end - start, StandardCharsets.UTF_8);
  }

  /** Text in which the kernel wrote blanks, newlines and backslashes as three octal digits. */
  static String unescaped(byte[] bytes, int start, int end) {
    int first = start;
    while (first < end && bytes[first] != '\\') {
      first++;
    }
    if (first == end) {
      return text(bytes, start, end);
    }
    byte[] plain = new byte[end - start];
    int length = 0;
    for (int i = start; i < end; i++) {
      if (bytes[i] == '\\' && end - i > 3 && isOctal(bytes, i + 1)) {
        plain[length++] =
            (byte) ((bytes[i + 1] - '0') << 6 | (bytes[i + 2] - '0') << 3 | (bytes[i + 3] - '0'));
        i += 3;
      } else {
        plain[length++] = bytes[i];
      }
    }
    return text(plain, 0, length);
  }

  private static boolean isOctal(byte[] bytes, int at) {
    for (int i = at; i < at + 3; i++) {
      if (bytes[i] < '0' || bytes[i] > '7') {
        return false;
      }
    }
    return true;
  }
}
