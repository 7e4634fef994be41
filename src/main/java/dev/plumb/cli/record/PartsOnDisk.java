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
 * What is recorded, on disk as it is taken: whatever ends a recording, what was taken until then
 * can be read. The outputs are made of it in the end.
 */
final class PartsOnDisk implements AutoCloseable {
  /** What is done with a recording whose outputs are written. */
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

  /** Another interval begins, or the only one, which has the number 0. */
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

  /** Where the outputs go there is no room for a single part; elsewhere there may be. */
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

  /** Where they are. */
  Optional<Path> path() {
    return file.map(PartFile::path);
  }

  /** Writes the outputs of the interval; the recording is for {@code users} until then. */
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

  /** Says what the disk did not take. */
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

  /** Ends the writing of what was not made an output of: the file stays. */
  @Override
  public void close() {
    file.ifPresent(PartFile::close);
  }
}
