package dev.plumb.elf;

import java.io.InputStream;

/**
 * A section's bytes, copied in pieces: decompressors do not see the mapped file, which may change
 * or lose pages while they read.
 */
public final class SectionStream extends InputStream {
  private final ElfBytes bytes;
  private long at;

  public SectionStream(ElfBytes bytes) {
    this.bytes = bytes;
  }

  @Override
  public int read() {
    return at < bytes.size() ? bytes.u8(at++) : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) {
    int n = (int) Math.min(length, bytes.size() - at);
    if (n <= 0) {
      return length == 0 ? 0 : -1;
    }
    bytes.copy(at, target, offset, n);
    at += n;
    return n;
  }
}
