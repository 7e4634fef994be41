package dev.plumb.export;

import java.nio.charset.StandardCharsets;

/** A Protocol Buffers message in memory, read field by field; every step is checked. */
final class ProtoIn {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int FIXED32 = 5;

  private final byte[] bytes;
  private final int end;
  private int at;
  private int field;
  private int wire;

  /** Where the current field's content is, if it has a length. */
  private int from;

  private int to;
  private long number;

  ProtoIn(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** Goes to the next field; false after the last. */
  boolean next() {
    if (at >= end) {
      return false;
    }
    long tag = raw();
    field = (int) (tag >>> 3);
    wire = (int) tag & 7;
    if (tag >>> 3 == 0 || tag >>> 3 > 0x1fffffff) {
      throw bad("field number %d".formatted(tag >>> 3));
    }
    switch (wire) {
      case VARINT -> number = raw();
      case FIXED64 -> skip(8);
      case LENGTH -> {
        long length = raw();
        if (length < 0 || length > end - at) {
          throw bad("a length of %d where %d bytes are left".formatted(length, end - at));
        }
        from = at;
        at += (int) length;
        to = at;
      }
      case FIXED32 -> skip(4);
      default -> throw bad("wire type " + wire);
    }
    return true;
  }

  int field() {
    return field;
  }

  long number() {
    expect(VARINT);
    return number;
  }

  ProtoIn message() {
    expect(LENGTH);
    return new ProtoIn(bytes, from, to);
  }

  PprofParts.Span span() {
    expect(LENGTH);
    return new PprofParts.Span(from, to);
  }

  String string() {
    expect(LENGTH);
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** Takes the numbers of a repeated field, packed or not. */
  void numbers(LongTaker taker) {
    if (wire == VARINT) {
      taker.take(number);
      return;
    }
    expect(LENGTH);
    ProtoIn packed = new ProtoIn(bytes, from, to);
    while (packed.at < packed.end) {
      taker.take(packed.raw());
    }
  }

  /** Takes a number. */
  @FunctionalInterface
  interface LongTaker {
    void take(long number);
  }

  private void expect(int type) {
    if (wire != type) {
      throw bad("field %d with wire type %d".formatted(field, wire));
    }
  }

  private void skip(int count) {
    if (end - at < count) {
      throw bad("an end within a field");
    }
    at += count;
  }

  private long raw() {
    long result = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= end) {
        throw bad("an end within a number");
      }
      byte b = bytes[at++];
      result |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return result;
      }
    }
    throw bad("a number of more than 64 bits");
  }

  private FormatException bad(String what) {
    return new FormatException(
        "not a whole pprof file: %s at byte %d; record or download it again".formatted(what, at));
  }
}
