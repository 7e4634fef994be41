package dev.plumb.export.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes a Protocol Buffers message into memory; see the encoding guide, "Wire types". */
public final class ProtoOut {
  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;

  private byte[] bytes = new byte[256];
  private int at;

  public void clear() {
    at = 0;
  }

  public int size() {
    return at;
  }

  /** A number; zero, the default, is omitted. */
  public ProtoOut number(int field, long value) {
    if (value != 0) {
      varint((long) field << 3 | VARINT);
      varint(value);
    }
    return this;
  }

  /** A text; an empty one, the default, is omitted. */
  public ProtoOut text(int field, String value) {
    return value.isEmpty() ? this : bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  /** An element of a repeated text field; an empty one is written, too. */
  public ProtoOut element(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  public ProtoOut real(int field, double value) {
    if (value != 0) {
      varint((long) field << 3 | FIXED64);
      fixed64(Double.doubleToRawLongBits(value));
    }
    return this;
  }

  /** Eight bytes without a tag, for packed fields. */
  public ProtoOut fixed64(long value) {
    byte[] eight = new byte[8];
    for (int i = 0; i < 8; i++) {
      eight[i] = (byte) (value >>> 8 * i);
    }
    raw(eight, 8);
    return this;
  }

  public ProtoOut bool(int field, boolean value) {
    return number(field, value ? 1 : 0);
  }

  public ProtoOut bytes(int field, byte[] content) {
    varint((long) field << 3 | LENGTH);
    varint(content.length);
    raw(content, content.length);
    return this;
  }

  /** A fixed-size number of 64 bits. */
  public ProtoOut fixed64(int field, long value) {
    varint((long) field << 3 | FIXED64);
    return fixed64(value);
  }

  public ProtoOut message(int field, ProtoOut content) {
    varint((long) field << 3 | LENGTH);
    varint(content.at);
    raw(content.bytes, content.at);
    return this;
  }

  /** Appends the fields of another message. */
  public ProtoOut append(ProtoOut fields) {
    raw(fields.bytes, fields.at);
    return this;
  }

  /** A number without a tag, for packed fields. */
  public ProtoOut varint(long value) {
    if (bytes.length - at < 10) {
      bytes = Arrays.copyOf(bytes, bytes.length * 2);
    }
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[at++] = (byte) rest;
    return this;
  }

  public void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, at);
  }

  /** Bytes without a tag. */
  public ProtoOut raw(byte[] content) {
    raw(content, content.length);
    return this;
  }

  public byte[] toBytes() {
    return Arrays.copyOf(bytes, at);
  }

  private void raw(byte[] content, int length) {
    if (bytes.length - at < length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, at + length));
    }
    System.arraycopy(content, 0, bytes, at, length);
    at += length;
  }
}
