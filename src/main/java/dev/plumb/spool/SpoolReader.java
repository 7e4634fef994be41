package dev.plumb.spool;

import dev.plumb.export.plumb.PlumbReader;
import dev.plumb.export.wire.FormatException;
import dev.plumb.profile.Recording;
import dev.plumb.store.SpoolMark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Reads recordings from a spool in the order in which they were written. For one thread. */
public final class SpoolReader {
  /** Stores a recording durably; throws if that is not possible now. */
  @FunctionalInterface
  public interface RecordingStore {
    void store(Recording recording, SpoolMark mark);
  }

  /** A file that ended the process this often while it was read is set aside. */
  private static final int MOST_TRIES = 9;

  private final Path folder;
  private final long maxBytes;
  private final Consumer<String> say;

  /**
   * @param maxBytes what a recording may use in memory
   * @param say receives what is wrong with a file
   */
  public SpoolReader(Path folder, long maxBytes, Consumer<String> say) {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.say = say;
  }

  /**
   * Hands over the recordings of all files and deletes the files that were stored. If a recording
   * cannot be stored, its file and later ones stay for the next call.
   *
   * @return how many were stored
   */
  public int take(RecordingStore store) throws IOException {
    int stored = 0;
    for (SpoolFile file : files()) {
      if (file.tries() == MOST_TRIES) {
        say.accept(file.path() + " cannot be read; it stays where it is");
        setAside(file);
        continue;
      }
      Path tried = file.tried();
      Files.move(file.path(), tried);
      try (Recording recording = PlumbReader.read(tried, maxBytes).recording()) {
        store.store(recording, new SpoolMark(file.source(), file.number()));
        Files.delete(tried);
        stored++;
      } catch (FormatException e) {
        say.accept(tried + ": " + e.getMessage());
        setAside(new SpoolFile(tried, file.source(), file.number(), file.tries()));
      } catch (RuntimeException e) {
        Files.move(tried, file.path()); // the file is not at fault
        throw e;
      }
    }
    return stored;
  }

  private static void setAside(SpoolFile file) throws IOException {
    Files.move(file.path(), file.path().resolveSibling(file.path().getFileName() + ".bad"));
  }

  /** Ordered by time of writing, then by source and number. */
  private List<SpoolFile> files() throws IOException {
    try (Stream<Path> paths = Files.list(folder)) {
      return paths
          .flatMap(path -> SpoolFile.of(path).stream())
          .sorted(
              Comparator.comparing(SpoolReader::written)
                  .thenComparing(SpoolFile::source)
                  .thenComparingLong(SpoolFile::number))
          .toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  private static long written(SpoolFile file) {
    try {
      return Files.getLastModifiedTime(file.path()).toMillis();
    } catch (IOException e) {
      return 0;
    }
  }
}
