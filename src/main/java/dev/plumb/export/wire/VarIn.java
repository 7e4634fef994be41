package dev.plumb.export.wire;

import java.nio.charset.StandardCharsets;

/** Reads what {@link VarOut} wrote; checks every step. */
public final class VarIn {
  private final byte[] bytes;
  private final int end;
  private int at;

  public VarIn(byte[] bytes, int end) {
    this.bytes = bytes;
    this.end = end;
  }

  public boolean more() {
    return at < end;
  }

  public long number() {
    long result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= end) {
        throw new FormatException("damaged .plumb file: a block ends within a number");
      }
      byte b = bytes[at++];
      result |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return result;
      }
    }
    throw new FormatException("damaged .plumb file: a number of more than 64 bits");
  }

  public long signed() {
    long coded = number();
    return coded >>> 1 ^ -(coded & 1);
  }

  /** A number from 0 to {@code limit} - 1. */
  public int below(long limit, String what) {
    long value = number();
    if (value < 0 || value >= limit) {
      throw new FormatException(
          "damaged .plumb file: %s %d where %d are known".formatted(what, value, limit));
    }
    return (int) value;
  }

  /** A number of things that take at least one byte each. */
  public int count(String what) {
    long count = number();
    if (count < 0 || count > end - at) {
      throw new FormatException(
          "damaged .plumb file: %d %s in %d bytes".formatted(count, what, end - at));
    }
    return (int) count;
  }

  /** Any int. */
  public int integer(String what) {
    long value = signed();
    if (value != (int) value) {
      throw new FormatException("damaged .plumb file: %s %d".formatted(what, value));
    }
    return (int) value;
  }

  public String text() {
    int length = count("characters");
    String text = new String(bytes, at, length, StandardCharsets.UTF_8);
    at += length;
    return text;
  }
}
