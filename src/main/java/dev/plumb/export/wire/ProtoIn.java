package dev.plumb.export.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads a Protocol Buffers message in memory, field by field; checks every step. */
public final class ProtoIn {
  /** The position of a message in the bytes. */
  public record Span(int from, int to) {}

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int FIXED32 = 5;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] bytes;
  private final int start;
  private final int end;
  private int at;
  private int field;
  private int wire;

  /** The position of the current field's content, if it has a length. */
  private int from;

  private int to;
  private long number;

  public ProtoIn(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  public ProtoIn(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.start = from;
    this.at = from;
    this.end = to;
  }

  /** Goes to the next field; false after the last. */
  public boolean next() {
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
      case FIXED64 -> fixed(8);
      case LENGTH -> {
        long length = raw();
        if (length < 0 || length > end - at) {
          throw bad("a length of %d where %d bytes are left".formatted(length, end - at));
        }
        from = at;
        at += (int) length;
        to = at;
      }
      case FIXED32 -> fixed(4);
      default -> throw bad("wire type " + wire);
    }
    return true;
  }

  /** The size of the whole message in bytes. */
  public int size() {
    return end - start;
  }

  public int field() {
    return field;
  }

  public long number() {
    expect(VARINT);
    return number;
  }

  /** A fixed-size number of 64 bits, such as a timestamp, or the bits of a double. */
  public long fixed64() {
    expect(FIXED64);
    return number;
  }

  public double real() {
    return Double.longBitsToDouble(fixed64());
  }

  /** The field's wire type. */
  public int wire() {
    return wire;
  }

  /** The content of a field with a length. */
  public byte[] content() {
    expect(LENGTH);
    return Arrays.copyOfRange(bytes, from, to);
  }

  public int length() {
    expect(LENGTH);
    return to - from;
  }

  public ProtoIn message() {
    expect(LENGTH);
    return new ProtoIn(bytes, from, to);
  }

  public Span span() {
    expect(LENGTH);
    return new Span(from, to);
  }

  public String string() {
    expect(LENGTH);
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }

  /** Takes the numbers of a repeated field, packed or not. */
  public void numbers(LongTaker taker) {
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

  /** Takes the 64-bit numbers of a repeated field, packed or not. */
  public void fixed64s(LongTaker taker) {
    if (wire == FIXED64) {
      taker.take(number);
      return;
    }
    expect(LENGTH);
    if ((to - from) % 8 != 0) {
      throw bad("%d bytes of 64-bit numbers".formatted(to - from));
    }
    for (int i = from; i < to; i += 8) {
      taker.take((long) LONG.get(bytes, i));
    }
  }

  /** Takes a number. */
  @FunctionalInterface
  public interface LongTaker {
    void take(long number);
  }

  private void expect(int type) {
    if (wire != type) {
      throw bad("field %d with wire type %d".formatted(field, wire));
    }
  }

  private void fixed(int count) {
    if (end - at < count) {
      throw bad("an end within a field");
    }
    number = count == 8 ? (long) LONG.get(bytes, at) : (int) INT.get(bytes, at);
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
        "not a whole protobuf message (pprof, OTLP): %s at byte %d; record or send it again"
            .formatted(what, at));
  }
}
