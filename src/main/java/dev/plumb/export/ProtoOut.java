package dev.plumb.export;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** One Protocol Buffers message being written into memory; see the encoding guide, "Wire types". */
final class ProtoOut {
  private static final int VARINT = 0;
  private static final int LENGTH = 2;

  private byte[] bytes = new byte[256];
  private int at;

  void clear() {
    at = 0;
  }

  int size() {
    return at;
  }

  /** A number; zero is the default and is left out. */
  ProtoOut number(int field, long value) {
    if (value != 0) {
      varint((long) field << 3 | VARINT);
      varint(value);
    }
    return this;
  }

  ProtoOut bool(int field, boolean value) {
    return number(field, value ? 1 : 0);
  }

  ProtoOut bytes(int field, byte[] content) {
    varint((long) field << 3 | LENGTH);
    varint(content.length);
    raw(content, content.length);
    return this;
  }

  ProtoOut message(int field, ProtoOut content) {
    varint((long) field << 3 | LENGTH);
    varint(content.at);
    raw(content.bytes, content.at);
    return this;
  }

  /** Fields that were written elsewhere. */
  ProtoOut append(ProtoOut fields) {
    raw(fields.bytes, fields.at);
    return this;
  }

  /** Bare numbers, for packed fields. */
  ProtoOut varint(long value) {
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

  void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, at);
  }

  private void raw(byte[] content, int length) {
    if (bytes.length - at < length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, at + length));
    }
    System.arraycopy(content, 0, bytes, at, length);
    at += length;
  }
}
