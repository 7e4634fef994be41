package dev.plumb.symbols.jit;

import java.nio.charset.StandardCharsets;

/** One line of a perf map, {@code START SIZE NAME}; one object is reused for all lines. */
final class PerfMapLine {
  private static final int MAX_DIGITS = 16;

  private long start;
  private int size;
  private int nameStart;

  /** Where the number just read ends; -1 if there was none. */
  private int at;

  /**
   * Parses a line; false if it is malformed. It must have two hexadecimal numbers, with or without
   * {@code 0x} (HotSpot writes it), and a name. Code of 2 GB or more, or in the kernel's half of
   * the address space, is malformed.
   */
  boolean parse(byte[] bytes, int from, int to) {
    start = hex(bytes, from, to);
    if (at < 0 || start < 0) {
      return false;
    }
    int second = afterBlanks(bytes, at, to);
    if (second == at) {
      return false;
    }
    long length = hex(bytes, second, to);
    if (at < 0 || length <= 0 || length > Integer.MAX_VALUE || start + length < 0) {
      return false;
    }
    size = (int) length;
    nameStart = afterBlanks(bytes, at, to);
    return nameStart > at && nameStart < to;
  }

  private long hex(byte[] bytes, int from, int to) {
    int i = from;
    if (to - i > 2 && bytes[i] == '0' && (bytes[i + 1] | 0x20) == 'x') {
      i += 2;
    }
    int digits = i;
    while (i < to && bytes[i] == '0') {
      i++;
    }
    boolean zeros = i > digits;
    int first = i;
    long value = 0;
    for (; i < to; i++) {
      int digit = digit(bytes[i]);
      if (digit < 0) {
        break;
      }
      value = value << 4 | digit;
    }
    at = i - first > MAX_DIGITS || i == first && !zeros ? -1 : i;
    return value;
  }

  private static int digit(byte b) {
    if (b >= '0' && b <= '9') {
      return b - '0';
    }
    int small = b | 0x20;
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
  }

  private static int afterBlanks(byte[] bytes, int from, int to) {
    int i = from;
    while (i < to && (bytes[i] == ' ' || bytes[i] == '\t')) {
      i++;
    }
    return i;
  }

  long start() {
    return start;
  }

  int size() {
    return size;
  }

  boolean contains(long processAddress) {
    return processAddress >= start && processAddress - start < size;
  }

  String name(byte[] bytes, int to) {
    int end = to > nameStart && bytes[to - 1] == '\r' ? to - 1 : to;
    return new String(bytes, nameStart, end - nameStart, StandardCharsets.UTF_8);
  }
}
