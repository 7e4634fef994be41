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

/** Takes recordings out of a spool, in the order they were put there. For one thread. */
public final class SpoolReader {
  /** Keeps a recording for good; throws if that is not possible now. */
  @FunctionalInterface
  public interface Keeper {
    void keep(Recording recording, SpoolMark mark);
  }

  /** A file whose reading ended the process this often is left alone. */
  private static final int MOST_TRIES = 9;

  private final Path folder;
  private final long maxBytes;
  private final Consumer<String> say;

  /**
   * @param maxBytes what a recording may take in memory
   * @param say for what is wrong with a file
   */
  public SpoolReader(Path folder, long maxBytes, Consumer<String> say) {
    this.folder = folder;
    this.maxBytes = maxBytes;
    this.say = say;
  }

  /**
   * Hands over all files that are there and deletes those that were kept. If one cannot be kept, it
   * and those behind it wait for the next time.
   *
   * @return how many were kept
   */
  public int take(Keeper keeper) throws IOException {
    int kept = 0;
    for (SpoolFile file : files()) {
      if (file.tries() == MOST_TRIES) {
        say.accept(file.path() + " cannot be read; it is left where it is");
        setAside(file);
        continue;
      }
      Path tried = file.tried();
      Files.move(file.path(), tried);
      try (Recording recording = PlumbReader.read(tried, maxBytes).recording()) {
        keeper.keep(recording, new SpoolMark(file.source(), file.number()));
        Files.delete(tried);
        kept++;
      } catch (FormatException e) {
        say.accept(tried + ": " + e.getMessage());
        setAside(new SpoolFile(tried, file.source(), file.number(), file.tries()));
      } catch (RuntimeException e) {
        Files.move(tried, file.path()); // it is not the file's fault
        throw e;
      }
    }
    return kept;
  }

  private static void setAside(SpoolFile file) throws IOException {
    Files.move(file.path(), file.path().resolveSibling(file.path().getFileName() + ".bad"));
  }

  /**
   * Of a source they are in the order of their numbers; the source that began first comes first.
   */
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
