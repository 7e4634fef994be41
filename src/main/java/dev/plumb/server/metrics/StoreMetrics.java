package dev.plumb.server.metrics;

import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.store.History;
import dev.plumb.store.TimeRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The store's size and age, and what the recordings of the last minutes lost. */
public final class StoreMetrics implements MetricSource {
  private static final long WINDOW_NANOS = 300_000_000_000L;

  private final History history;
  private final Optional<Path> folder;

  /** Without a folder, the store is in memory. */
  public StoreMetrics(History history, Optional<Path> folder) {
    this.history = history;
    this.folder = folder;
  }

  @Override
  public List<Metric> metrics() {
    List<Metric> all = new ArrayList<>();
    folder.ifPresent(
        path ->
            all.add(Metric.gauge("plumb_store_bytes", "Size of the store's files.", size(path))));
    history
        .span()
        .ifPresent(
            span ->
                all.add(
                    Metric.gauge(
                        "plumb_store_oldest_timestamp_seconds",
                        "When the oldest of the store's samples was taken.",
                        span.fromNanos() / 1e9)));
    all.add(lost());
    return all;
  }

  private static double size(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.mapToLong(file -> file.toFile().isFile() ? file.toFile().length() : 0).sum();
    } catch (IOException | UncheckedIOException e) {
      // A file was deleted meanwhile: the next scrape will succeed.
      return 0;
    }
  }

  private Metric lost() {
    long now = System.currentTimeMillis() * 1_000_000;
    TimeRange range = new TimeRange(now - WINDOW_NANOS, now);
    List<Metric.Value> values = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (ProfileType type : history.types(range)) {
      // All types of a profile come from the same recording.
      if (seen.add(type.name())) {
        Quality quality = history.quality(type, range);
        quality
            .lost()
            .forEach(
                (reason, count) ->
                    values.add(
                        new Metric.Value(
                            new TreeMap<>(Map.of("profile", type.name(), "reason", reason)),
                            count)));
      }
    }
    return new Metric(
        "plumb_lost_samples", "Samples that were lost in the last five minutes.", false, values);
  }
}
