package dev.plumb.store.segment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** The store's files on disk. */
public final class SegmentFolder {
  private static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

  private final Path store;
  private final Path segments;

  public SegmentFolder(Path store) {
    this.store = store;
    this.segments = store.resolve("segments");
  }

  public SegmentNamesFiles names() {
    return new SegmentNamesFiles(segments);
  }

  public Path file(SegmentFile kind, int segment) {
    return kind.in(segments, segment);
  }

  /** The path of a file while it is written. */
  public Path unfinished(SegmentFile kind, int segment) {
    return segments.resolve(file(kind, segment).getFileName() + ".new");
  }

  public Path file(SegmentRollup.File kind, int level, int number) {
    return segments.resolve(
        "%s%d-%d.parquet".formatted(kind.name().toLowerCase(Locale.ROOT), level, number));
  }

  public Path unfinished(SegmentRollup.File kind, int level, int number) {
    return segments.resolve(file(kind, level, number).getFileName() + ".new");
  }

  public long finish(SegmentFile kind, int segment) throws IOException {
    return finish(unfinished(kind, segment), file(kind, segment));
  }

  /** Gives a file its final name; its content is on disk when this returns. */
  public static long finish(Path made, Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(made, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
    return Files.size(file);
  }

  /** Makes names of files survive a crash. */
  public void force() throws IOException {
    try (FileChannel channel = FileChannel.open(segments, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  public List<Path> files(Tier tier, int segment) {
    return tier.files().stream().map(kind -> file(kind, segment)).toList();
  }

  public List<Path> files(SegmentRollup rollup) {
    return Stream.of(SegmentRollup.File.values())
        .map(kind -> file(kind, rollup.level(), rollup.number()))
        .toList();
  }

  /** The size of files that seem intact; 0 if any does not. */
  public long wholeBytes(List<Path> files) {
    long bytes = 0;
    for (Path file : files) {
      try {
        bytes += Files.size(file);
      } catch (IOException e) {
        return 0;
      }
    }
    return areWhole(files, bytes) ? bytes : 0;
  }

  /** Whether files have their size and both ends of a Parquet file. */
  public static boolean areWhole(List<Path> files, long wantedBytes) {
    long bytes = 0;
    for (Path file : files) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        long size = channel.size();
        if (size < 12 || !isMagic(channel, 0) || !isMagic(channel, size - MAGIC.length)) {
          return false;
        }
        bytes += size;
      } catch (IOException e) {
        return false;
      }
    }
    return bytes == wantedBytes;
  }

  private static boolean isMagic(FileChannel channel, long at) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(MAGIC.length);
    channel.read(buffer, at);
    return ByteBuffer.wrap(MAGIC).equals(buffer.flip());
  }

  /** Renames a file so that nothing reads it any more; returns the new name. */
  public static String setAside(Path file) throws IOException {
    for (int i = 1; ; i++) {
      Path target = file.resolveSibling(file.getFileName() + ".broken-" + i);
      if (!Files.exists(target)) {
        Files.move(file, target);
        return target.getFileName().toString();
      }
    }
  }

  public static List<String> setAside(List<Path> files) throws IOException {
    List<String> names = new ArrayList<>();
    for (Path file : files) {
      if (Files.exists(file)) {
        names.add(setAside(file));
      }
    }
    return names;
  }

  /**
   * Files that no table mentions: a crash came before a transaction entered them or after one
   * removed them.
   */
  public List<Path> strangers(List<StoreSegment> known, List<SegmentRollup> rollups)
      throws IOException {
    Set<Path> owned = new HashSet<>();
    for (StoreSegment segment : known) {
      owned.addAll(names().of(segment.id()));
      for (Tier tier : Tier.values()) {
        if (segment.bytes(tier) > 0) {
          owned.addAll(files(tier, segment.id()));
        }
      }
    }
    rollups.forEach(rollup -> owned.addAll(files(rollup)));
    try (Stream<Path> files = Files.list(segments)) {
      return files
          .filter(file -> !owned.contains(file))
          .filter(file -> !file.getFileName().toString().contains(".broken-"))
          .toList();
    }
  }

  /** The size of all files, including those that were set aside. */
  public long bytes() {
    long[] sum = new long[1];
    try {
      Files.walkFileTree(
          store,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              sum[0] += attributes.size();
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) {
              return FileVisitResult.CONTINUE; // it was deleted meanwhile
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return sum[0];
  }
}
