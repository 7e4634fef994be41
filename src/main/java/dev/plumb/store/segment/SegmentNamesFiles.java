package dev.plumb.store.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The files of {@link SegmentNames}: {@code names-SEGMENT-CHECKSUM.parquet}. Parquet files have no
 * checksum, and a wrong name would be worse than none.
 */
public final class SegmentNamesFiles {
  private static final Pattern NAME = Pattern.compile("names-(\\d+)-([0-9a-f]{8})\\.parquet");

  private final Path folder;

  SegmentNamesFiles(Path folder) {
    this.folder = folder;
  }

  /** The path of a file while it is written. */
  public Path unfinished(int segment) {
    return folder.resolve("names-" + segment + ".parquet.new");
  }

  public void finish(int segment) throws IOException {
    Path made = unfinished(segment);
    SegmentFolder.finish(
        made, folder.resolve("names-%d-%08x.parquet".formatted(segment, checksum(made))));
  }

  /** All files of names. */
  public List<Path> all() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> NAME.matcher(file.getFileName().toString()).matches())
          .sorted()
          .toList();
    }
  }

  /** A segment's files: one, unless a crash came while it was written. */
  public List<Path> of(int segment) throws IOException {
    return all().stream()
        .filter(file -> file.getFileName().toString().startsWith("names-" + segment + "-"))
        .toList();
  }

  public static boolean isIntact(Path file) {
    Matcher matcher = NAME.matcher(file.getFileName().toString());
    try {
      return matcher.matches() && "%08x".formatted(checksum(file)).equals(matcher.group(2));
    } catch (IOException e) {
      return false;
    }
  }

  private static int checksum(Path file) throws IOException {
    CRC32C sum = new CRC32C();
    sum.update(Files.readAllBytes(file));
    return (int) sum.getValue();
  }
}
