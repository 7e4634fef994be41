package dev.plumb.symbols;

import dev.plumb.elf.CompressedSection;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.elf.Section;
import dev.plumb.linux.FileIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.zip.CRC32;

/**
 * Decompresses large sections of debug information to files: in memory they would take more than
 * everything else, and the next run finds the files. A file is a header and the section:
 *
 * <pre>
 *  0 u64 magic and version    24 u32 device, major and minor   48 u64 the file's time of change
 *  8 u64 decompressed size    32 u64 inode                     56 u32 hash of the boot id
 * 16 u64 compressed size      40 u64 the file's size           60 u32 CRC-32 of all the above
 * </pre>
 *
 * It is written under another name and renamed when it is complete, so several instances of Plumb
 * may share the folder. Device, inode, size and time say which file it belongs to: anybody can make
 * a file with another file's build id.
 */
final class DecompressedSections {
  private static final long MAGIC = 0x504c554d42530001L; // PLUMBS, version 1
  private static final int HEADER = 64;
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
  private static final int CHUNK = 1 << 16;

  /** The sections that Plumb reads; it does not read location lists, which may be large. */
  private static final List<String> NAMES =
      List.of(
          "info",
          "abbrev",
          "str",
          "line",
          "line_str",
          "str_offsets",
          "addr",
          "ranges",
          "rnglists",
          "aranges");

  private final SymbolCacheFolder folder;

  DecompressedSections(SymbolCacheFolder folder) {
    this.folder = folder;
  }

  /** The compressed bytes of all sections that are read. */
  static long compressedBytes(ElfFile elf) {
    long bytes = 0;
    for (Section section : elf.sections()) {
      bytes += isRead(section) && isCompressed(elf, section) ? section.size() : 0;
    }
    return bytes;
  }

  private static long decompressedBytes(ElfFile elf) {
    long bytes = 0;
    for (Section section : elf.sections()) {
      if (isRead(section) && isCompressed(elf, section)) {
        bytes += HEADER + elf.compressed(section).orElseThrow().size();
        if (bytes < 0) {
          return Long.MAX_VALUE;
        }
      }
    }
    return bytes;
  }

  private static boolean isCompressed(ElfFile elf, Section section) {
    try {
      return elf.compressed(section).isPresent();
    } catch (ElfException e) {
      return false; // it is outside of the file, so it will not be read either
    }
  }

  private static boolean isRead(Section section) {
    String name = section.name();
    return name.startsWith(".debug_") && NAMES.contains(name.substring(7))
        || name.startsWith(".zdebug_") && NAMES.contains(name.substring(8));
  }

  /**
   * Provides {@code elf} with its decompressed sections from files, and makes missing files.
   *
   * @param identity which file {@code elf} is
   * @return whether all sections are provided; if not, some may be
   */
  boolean provide(ElfFile elf, FileIdentity identity) {
    String buildId = elf.buildId().orElse("");
    if (buildId.isEmpty()) {
      return false;
    }
    String owner = SymbolCacheFolder.owner(buildId, identity);
    if (decompressedBytes(elf) > folder.ceiling()) {
      return false; // one section would evict the other
    }
    try {
      for (Section section : elf.sections()) {
        if (isRead(section)
            && isCompressed(elf, section)
            && !provide(elf, elf.compressed(section).orElseThrow(), identity, owner)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // no folder, space or permission: do without it
    }
  }

  private boolean provide(
      ElfFile elf, CompressedSection compressed, FileIdentity identity, String owner)
      throws IOException {
    ByteBuffer header = header(compressed, identity);
    Path file = folder.file(owner, compressed.section().name().replaceFirst("^\\.z?debug_", ""));
    if (!isThere(file, header, compressed.size())) {
      if (!folder.makeRoom(HEADER + compressed.size())) {
        return false;
      }
      Path part = folder.begin();
      try {
        if (!decompress(compressed, part, header)) {
          return false;
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
      }
    }
    return map(elf, compressed, file);
  }

  private static boolean map(ElfFile elf, CompressedSection compressed, Path file)
      throws IOException {
    Arena arena = Arena.ofShared();
    boolean used = false;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      // Somebody may have replaced it meanwhile.
      if (channel.size() == HEADER + compressed.size()) {
        MemorySegment bytes =
            channel.map(FileChannel.MapMode.READ_ONLY, HEADER, compressed.size(), arena);
        elf.useDecompressed(compressed.section(), bytes, arena);
        used = true;
      }
      return used;
    } finally {
      if (!used) {
        arena.close();
      }
    }
  }

  private static ByteBuffer header(CompressedSection compressed, FileIdentity identity) {
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.putLong(MAGIC).putLong(compressed.size()).putLong(compressed.compressed().size());
    header.putInt(identity.deviceMajor()).putInt(identity.deviceMinor());
    header.putLong(identity.inode()).putLong(identity.size()).putLong(identity.modifiedNanos());
    header.putInt(boot());
    CRC32 crc = new CRC32();
    crc.update(header.array(), 0, header.position());
    return header.putInt((int) crc.getValue()).flip();
  }

  /**
   * Files are not synced to the disk, which would disturb what is being measured; therefore they
   * are valid only until the next reboot.
   */
  private static int boot() {
    try {
      return Files.readString(BOOT_ID).hashCode();
    } catch (IOException e) {
      return 0;
    }
  }

  /** Whether the file is what would be written now; if so, marks it as used. */
  private static boolean isThere(Path file, ByteBuffer header, long size) throws IOException {
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer found = ByteBuffer.allocate(HEADER);
      if (channel.read(found, 0) != HEADER
          || !found.flip().equals(header)
          || channel.size() != HEADER + size) {
        return false;
      }
    }
    Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    return true;
  }

  /** Writes the decompressed section; false if its size is not the one that it claims. */
  private static boolean decompress(CompressedSection compressed, Path part, ByteBuffer header)
      throws IOException {
    byte[] chunk = new byte[CHUNK];
    long rest = compressed.size();
    try (FileChannel out = FileChannel.open(part, StandardOpenOption.WRITE);
        InputStream in = compressed.open()) {
      write(out, header.duplicate());
      for (int n = read(compressed, in, chunk); n >= 0; n = read(compressed, in, chunk)) {
        rest -= n;
        if (rest < 0) {
          return false;
        }
        write(out, ByteBuffer.wrap(chunk, 0, n));
      }
    }
    return rest == 0;
  }

  private static void write(FileChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }

  private static int read(CompressedSection compressed, InputStream in, byte[] chunk)
      throws IOException {
    try {
      return LostPages.guard(
          compressed.section().name(),
          () -> {
            try {
              return in.read(chunk);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } catch (ElfException e) {
      throw new IOException(e);
    }
  }
}
