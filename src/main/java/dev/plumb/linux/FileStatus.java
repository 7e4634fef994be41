package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;

/**
 * Which file this is, of what kind and whose.
 *
 * @param mode kind and permissions, as stat(2) has them
 */
public record FileStatus(FileIdentity identity, int mode, int uid) {
  private static final int S_IFMT = 0170000;
  private static final int S_IFREG = 0100000;

  /**
   * struct statx: stx_uid 0x14, stx_mode 0x1c (u2), stx_ino 0x20, stx_size 0x28, stx_mtime 0x70
   * (s8, u4), stx_dev 0x88 (u4, u4).
   */
  static FileStatus of(MemorySegment statx) {
    FileIdentity identity =
        new FileIdentity(
            statx.get(JAVA_INT, 0x88),
            statx.get(JAVA_INT, 0x8c),
            statx.get(JAVA_LONG, 0x20),
            statx.get(JAVA_LONG, 0x28),
            statx.get(JAVA_LONG, 0x70) * 1_000_000_000L + statx.get(JAVA_INT, 0x78));
    return new FileStatus(
        identity, statx.get(JAVA_SHORT, 0x1c) & 0xffff, statx.get(JAVA_INT, 0x14));
  }

  /** Not a folder, link, pipe, socket or device. */
  public boolean isRegular() {
    return (mode & S_IFMT) == S_IFREG;
  }
}
