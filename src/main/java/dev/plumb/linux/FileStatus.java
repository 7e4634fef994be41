package dev.plumb.linux;

import static dev.plumb.linux.KernelField.u16;
import static dev.plumb.linux.KernelField.u32;
import static dev.plumb.linux.KernelField.u64;

import java.lang.foreign.MemorySegment;

/**
 * Which file this is, what kind of file, and who owns it.
 *
 * @param mode kind and permissions, as stat(2) has them
 * @param uid the owner's user id
 */
public record FileStatus(FileIdentity identity, int mode, int uid) {
  private static final int S_IFMT = 0170000;
  private static final int S_IFREG = 0100000;

  /** {@code struct statx}; {@code StructureLayoutTest} compares it with the kernel's. */
  static final class Statx {
    static final int SIZE = 256;
    static final KernelField UID = u32("stx_uid", 0x14);
    static final KernelField MODE = u16("stx_mode", 0x1c);
    static final KernelField INODE = u64("stx_ino", 0x20);
    static final KernelField FILE_SIZE = u64("stx_size", 0x28);
    static final KernelField MODIFIED_SECONDS = u64("stx_mtime.tv_sec", 0x70);
    static final KernelField MODIFIED_NANOS = u32("stx_mtime.tv_nsec", 0x78);
    static final KernelField DEVICE_MAJOR = u32("stx_dev_major", 0x88);
    static final KernelField DEVICE_MINOR = u32("stx_dev_minor", 0x8c);

    private Statx() {}
  }

  static FileStatus of(MemorySegment statx) {
    FileIdentity identity =
        new FileIdentity(
            (int) Statx.DEVICE_MAJOR.get(statx),
            (int) Statx.DEVICE_MINOR.get(statx),
            Statx.INODE.get(statx),
            Statx.FILE_SIZE.get(statx),
            Statx.MODIFIED_SECONDS.get(statx) * 1_000_000_000L + Statx.MODIFIED_NANOS.get(statx));
    return new FileStatus(identity, (int) Statx.MODE.get(statx), (int) Statx.UID.get(statx));
  }

  /** Not a folder, link, pipe, socket or device. */
  public boolean isRegular() {
    return (mode & S_IFMT) == S_IFREG;
  }
}
