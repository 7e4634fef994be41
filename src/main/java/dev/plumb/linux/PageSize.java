package dev.plumb.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** The size of a page: 4096 on x86-64, the kernel's choice on arm64. */
public final class PageSize {
  private static final int USUAL = 4096;
  private static final long AT_PAGESZ = 6;

  private PageSize() {}

  static int read() {
    if (!SyscallNumber.ARM) {
      return USUAL;
    }
    try {
      return parse(Files.readAllBytes(Path.of("/proc/self/auxv")));
    } catch (IOException e) {
      return USUAL;
    }
  }

  /** Pairs of key and value, 64 bits each, until key 0. */
  public static int parse(byte[] auxv) {
    ByteBuffer pairs = ByteBuffer.wrap(auxv).order(ByteOrder.nativeOrder());
    while (pairs.remaining() >= 16) {
      long key = pairs.getLong();
      long value = pairs.getLong();
      if (key == AT_PAGESZ) {
        return (int) value;
      }
    }
    return USUAL;
  }
}
