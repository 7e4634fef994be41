package dev.plumb.export.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * Writes text and numbers into memory; numbers in LEB128: seven bits per byte, the lowest first.
 */
public final class VarOut {
  private byte[] bytes = new byte[1024];
  private int at;

  public VarOut number(long value) {
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

  /** A number that may be negative. */
  public VarOut signed(long value) {
    return number(value << 1 ^ value >> 63);
  }

  public VarOut text(String text) {
    byte[] content = TextOut.utf8(text);
    number(content.length);
    raw(content, content.length);
    return this;
  }

  public VarOut append(VarOut other) {
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

  public int size() {
    return at;
  }

  public void clear() {
    at = 0;
  }

  public byte[] array() {
    return bytes;
  }

  public void writeTo(OutputStream out) throws IOException {
    out.write(bytes, 0, at);
  }
}
