package dev.plumb.cli.record;

import dev.plumb.export.Formats;
import dev.plumb.export.file.OutputException;
import dev.plumb.export.file.Reading;
import dev.plumb.export.plumb.PartFile;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Writes a recording to disk while it is taken: whatever ends it, everything until then can be
 * read. The outputs are made from this file at the end.
 */
final class PartsOnDisk implements AutoCloseable {
  /** Uses a recording after its outputs are written. */
  @FunctionalInterface
  interface User {
    void use(Recording recording);
  }

  private final OutputOptions outputs;
  private final Consumer<String> say;
  private int interval;
  private Optional<PartFile> file = Optional.empty();

  PartsOnDisk(OutputOptions outputs, Consumer<String> say) {
    this.outputs = outputs;
    this.say = say;
  }

  /** Begins an interval; the only one has the number 0. */
  void begin(int number) {
    interval = number;
  }

  /** Adds a part of the interval. */
  void add(Recording part) {
    if (file.isEmpty()) {
      file = Optional.of(create());
    }
    file.get().add(part);
    if (!file.get().isBegun()) {
      addElsewhere(part);
    }
  }

  private PartFile create() {
    try {
      return PartFile.create(outputs.partsFile(interval));
    } catch (OutputException e) {
      return PartFile.create(OutputOptions.partsElsewhere());
    }
  }

  /** The disk of the outputs has no room for a single part; another disk may have. */
  private void addElsewhere(Recording part) {
    PartFile other = PartFile.create(OutputOptions.partsElsewhere());
    other.add(part);
    PartFile unused = other;
    if (other.isBegun()) {
      unused = file.get();
      file = Optional.of(other);
    }
    unused.close();
  }

  /** Where the parts are. */
  Optional<Path> path() {
    return file.map(PartFile::path);
  }

  /** Writes the outputs of the interval, then calls {@code user}. */
  void end(User user) {
    PartFile parts = file.orElseThrow();
    file = Optional.empty();
    try (parts) {
      parts.finish();
      Path path = parts.path();
      try (Recording recording = read(parts)) {
        try {
          outputs.write(recording, interval, path, say);
          if (!outputs.isOutput(path, interval)) {
            parts.delete();
          }
        } catch (RuntimeException e) {
          say.accept(path + " holds the recording");
          throw e;
        } finally {
          user.use(recording);
        }
      }
    }
  }

  private Recording read(PartFile parts) {
    try {
      Reading reading = Formats.read(parts.path());
      reading.warnings().forEach(say);
      Recording recording = reading.recording();
      return parts.unwritten().isEmpty() ? recording : withLoss(recording, parts.unwritten());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reports what the disk had no room for. */
  private Recording withLoss(Recording recording, Map<String, Long> unwritten) {
    long all = unwritten.values().stream().mapToLong(Long::longValue).sum();
    say.accept("the disk was full: %,d samples could not be written".formatted(all));
    List<Profile> profiles =
        recording.profiles().stream()
            .map(
                profile ->
                    profile.withQuality(
                        profile
                            .quality()
                            .plusLost(
                                "the disk was full", unwritten.getOrDefault(profile.mode(), 0L))))
            .toList();
    return new Recording(
        recording.startNanos(), recording.durationNanos(), profiles, recording.facts());
  }

  /** Closes the file of an interval that has not ended; the file stays. */
  @Override
  public void close() {
    file.ifPresent(PartFile::close);
  }
}
