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
 * Saves on disk what takes long to find out about large files, their functions and their units, so
 * that the next run has it at once. Such an index file is a header and the content, all in the
 * machine's byte order, which the magic number shows:
 *
 * <pre>
 *  0 u64 magic and version                  16 the file: u32 device, major and minor,
 *  8 u32 the kind of content                   u64 inode, u64 size, u64 time of change
 * 12 u32 CRC-32 of everything else         48 the other file, or zeros
 * </pre>
 *
 * An index file is used only if it is complete, belongs to exactly this file (device, inode, size
 * and time: anybody can make a file with another file's build id) and was written by this user.
 * Because of the checksum it need not be synced to the disk and is valid after a reboot. Others may
 * still change it while it is in use, so every reader checks what it uses.
 */
final class IndexFiles {
  /**
   * Smaller content is found out again as quickly: 20 000 functions, about 1000 units. This also
   * limits the number of files.
   */
  static final long LEAST = 256 << 10;

  private static final long MAGIC = 0x504c554d42490002L; // PLUMBI, version 2
  private static final int HEADER = 80;
  private static final int CRC_AT = 12;
  private static final int CHUNK = 1 << 16;

  /** Belongs to the user that this process runs as. */
  private static final Path SELF = Path.of("/proc/self");

  private final SymbolCacheFolder folder;
  private final long least;

  /** What is saved about a file. */
  enum Kind {
    FUNCTIONS("functions", 1),
    UNITS("units", 4);

    private final String text;

    /** How long one byte takes to find out again, relative to the other kind. */
    private final int weight;

    Kind(String text, int weight) {
      this.text = text;
      this.weight = weight;
    }
  }

  /**
   * The file that the content describes.
   *
   * @param other a second file that the content was taken from
   */
  record Key(String buildId, FileIdentity file, Optional<FileIdentity> other) {}

  IndexFiles(SymbolCacheFolder folder, long least) {
    this.folder = folder;
    this.least = least;
  }

  /** The saved content, mapped while {@code arena} is open. */
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

  /** Reads instead of mapping: a file that is truncated meanwhile is just shorter. */
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

  /** Saves {@code parts}, one after the other, if they are large enough and it is possible. */
  void save(Kind kind, Key key, List<MemorySegment> parts) {
    long size = 0;
    for (MemorySegment part : parts) {
      size += part.byteSize();
    }
    try {
      // Root must not leave files in another user's folder.
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
      return; // no folder, space or permission: the next run has to find it out again
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

  /** The header, with 0 as the checksum. */
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
