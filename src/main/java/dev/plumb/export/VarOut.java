package dev.plumb.export;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/** Numbers of seven bits a byte, the lowest first, and text, into memory. */
final class VarOut {
  private byte[] bytes = new byte[1024];
  private int at;

  VarOut number(long value) {
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

  /** A number that may be below zero. */
  VarOut signed(long value) {
    return number(value << 1 ^ value >> 63);
  }

  VarOut text(String text) {
    byte[] content = TextOut.utf8(text);
    number(content.length);
    raw(content, content.length);
    return this;
  }

  VarOut append(VarOut other) {
    raw(other.bytes, other.at);
    return this;
  }

  private void raw(byte[] content, int length) {
    if (bytes.length - at < length) {
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, at + length));
    }
    System.arraycopy(content, 0, bytes, at, length);
    at += length;
  }

  int size() {
    return at;
  }

  void clear() {
    at = 0;
  }

  byte[] array() {
    return bytes;
  }

  void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, at);
  }
}
