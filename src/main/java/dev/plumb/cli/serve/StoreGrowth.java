package dev.plumb.cli.serve;

import dev.plumb.cli.options.StoreFolder;
import dev.plumb.cli.text.ByteSizes;
import dev.plumb.store.ReadableStore;
import dev.plumb.store.StoreException;
import dev.plumb.store.TimeRange;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/** The size of a store, and its growth per day. */
public final class StoreGrowth {
  private static final double DAY_NANOS = 86_400e9;

  /** A shorter history says nothing about a day. */
  private static final double LEAST_NANOS = 600e9;

  private StoreGrowth() {}

  /** In words. */
  public static String text(Path folder) {
    if (!Files.isDirectory(folder)) {
      return "none yet (plumb serve creates one in " + folder + ")";
    }
    long bytes = bytes(folder.toFile());
    Optional<TimeRange> span;
    try {
      span = span(folder);
    } catch (StoreException e) {
      return ByteSizes.text(bytes) + " in " + folder + "; " + e.getMessage();
    }
    double nanos = span.map(s -> (double) (s.toNanos() - s.fromNanos())).orElse(0.0);
    String size = "%s for %s in %s".formatted(ByteSizes.text(bytes), duration(nanos), folder);
    return nanos < LEAST_NANOS
        ? size + "; too short to tell how fast it grows"
        : size + "; about %s per day".formatted(ByteSizes.text((long) (bytes * DAY_NANOS / nanos)));
  }

  private static String duration(double nanos) {
    double hours = nanos / 3600e9;
    return hours >= 48
        ? "%.1f days".formatted(hours / 24)
        : hours >= 1 ? "%.1f hours".formatted(hours) : "%.0f minutes".formatted(hours * 60);
  }

  private static long bytes(File file) {
    File[] inside = file.listFiles();
    return inside == null
        ? file.length()
        : Arrays.stream(inside).mapToLong(StoreGrowth::bytes).sum();
  }

  private static Optional<TimeRange> span(Path folder) {
    try (ReadableStore store = StoreFolder.open(folder)) {
      return store.span();
    }
  }
}
