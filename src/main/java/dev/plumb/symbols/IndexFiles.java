package dev.plumb.symbols;

import dev.plumb.linux.FileIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32;

/**
 * What was learnt of large files by going through them, in files, so that the next run has it at
 * once: their functions, their units. Such a file is a header and what is kept, all in the
 * machine's byte order, which the magic number shows:
 *
 * <pre>
 *  0 u64 magic and version                  16 the file: u32 device, major and minor,
 *  8 u32 what it has of the file               u64 inode, u64 size, u64 time of change
 * 12 u32 CRC-32 of all else, content too    48 the other file, or zeros
 * </pre>
 *
 * It is believed only if it is whole, belongs to the very file (device, inode, size and time:
 * anybody can make a file with another's build id) and was written by this user. Because of the
 * checksum it need not be forced to the disk, and may be believed when the machine was started
 * again. Others may still change it while it is used, so whoever reads it checks what he uses.
 */
final class IndexFiles {
  /**
   * Less is found out again as quickly: 20 000 functions, about 1000 units. It also bounds how many
   * files there are.
   */
  static final long LEAST = 256 << 10;

  private static final long MAGIC = 0x504c554d42490002L; // PLUMBI, version 2
  private static final int HEADER = 80;
  private static final int CRC_AT = 12;
  private static final int CHUNK = 1 << 16;

  /** Belongs to whom this process acts for. */
  private static final Path SELF = Path.of("/proc/self");

  private final SymbolCacheFolder folder;
  private final long least;

  /** What is kept of a file. */
  enum Kind {
    FUNCTIONS("functions", 1),
    UNITS("units", 4);

    private final String text;

    /** How long a byte takes to find out again, compared with the other. */
    private final int weight;

    Kind(String text, int weight) {
      this.text = text;
      this.weight = weight;
    }
  }

  /**
   * What the content was learnt of.
   *
   * @param other a second file that it was taken from
   */
  record Key(String buildId, FileIdentity file, Optional<FileIdentity> other) {}

  IndexFiles(SymbolCacheFolder folder, long least) {
    this.folder = folder;
    this.least = least;
  }

  /** What was saved, mapped while {@code arena} is open. */
  Optional<MemorySegment> load(Kind kind, Key key, Arena arena) {
    Path path = path(kind, key);
    try {
      if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || !isOurs(path)) {
        return Optional.empty();
      }
      try (FileChannel channel =
          FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
        long size = channel.size();
        if (size <= HEADER || size > folder.ceiling() || !isWhole(channel, size, kind, key)) {
          return Optional.empty();
        }
        Files.setLastModifiedTime(path, FileTime.from(Instant.now())); // it was used now
        return Optional.of(
            channel.map(FileChannel.MapMode.READ_ONLY, HEADER, size - HEADER, arena));
      }
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty();
    }
  }

  /** Read, not mapped: a file that is cut short meanwhile is just shorter. */
  private static boolean isWhole(FileChannel channel, long size, Kind kind, Key key)
      throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.nativeOrder());
    if (channel.read(header, 0) != HEADER) {
      return false;
    }
    int expected = header.flip().getInt(CRC_AT);
    if (!header.putInt(CRC_AT, 0).equals(header(kind, key))) {
      return false;
    }
    CRC32 crc = new CRC32();
    crc.update(header);
    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK, size));
    long at = HEADER;
    for (int n = channel.read(chunk, at); n > 0; n = channel.read(chunk.clear(), at)) {
      crc.update(chunk.flip());
      at += n;
    }
    return at == size && (int) crc.getValue() == expected;
  }

  /** Keeps {@code parts}, one after the other, if that is worth it and can be done. */
  void save(Kind kind, Key key, List<MemorySegment> parts) {
    long size = 0;
    for (MemorySegment part : parts) {
      size += part.byteSize();
    }
    try {
      // Nobody should find files of root in his folder.
      if (size * kind.weight < least || !folder.isOurs(user()) || !folder.makeRoom(HEADER + size)) {
        return;
      }
      Path begun = folder.begin();
      try {
        write(begun, kind, key, parts);
        Files.move(
            begun,
            path(kind, key),
            StandardCopyOption.ATOMIC_MOVE,
            StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(begun);
      }
    } catch (IOException | UnsupportedOperationException e) {
      return; // no folder, no space, no right: then the next one has to look again
    }
  }

  private static void write(Path begun, Kind kind, Key key, List<MemorySegment> parts)
      throws IOException {
    ByteBuffer header = header(kind, key);
    CRC32 crc = new CRC32();
    crc.update(header.duplicate());
    byte[] chunk = new byte[CHUNK];
    try (FileChannel out = FileChannel.open(begun, StandardOpenOption.WRITE)) {
      out.position(HEADER);
      for (MemorySegment part : parts) {
        for (long at = 0; at < part.byteSize(); at += CHUNK) {
          int n = (int) Math.min(CHUNK, part.byteSize() - at);
          MemorySegment.copy(part, at, MemorySegment.ofArray(chunk), 0, n);
          crc.update(chunk, 0, n);
          write(out, ByteBuffer.wrap(chunk, 0, n));
        }
      }
      out.position(0);
      write(out, header.putInt(CRC_AT, (int) crc.getValue()));
    }
  }

  private static void write(FileChannel out, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      out.write(bytes);
    }
  }

  /** With 0 for the checksum. */
  private static ByteBuffer header(Kind kind, Key key) {
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.nativeOrder());
    header.putLong(MAGIC).putInt(kind.ordinal() + 1).putInt(0);
    put(key.file(), header);
    key.other().ifPresent(other -> put(other, header));
    return header.clear();
  }

  private static void put(FileIdentity identity, ByteBuffer header) {
    header.putInt(identity.deviceMajor()).putInt(identity.deviceMinor());
    header.putLong(identity.inode()).putLong(identity.size()).putLong(identity.modifiedNanos());
  }

  private Path path(Kind kind, Key key) {
    return folder.file(SymbolCacheFolder.owner(key.buildId(), key.file()), kind.text);
  }

  private static boolean isOurs(Path path) throws IOException {
    return uid(path) == user();
  }

  private static int user() throws IOException {
    return (int) Files.getAttribute(SELF, "unix:uid");
  }

  static int uid(Path path) throws IOException {
    try {
      return (int) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return -1;
    }
  }
}
