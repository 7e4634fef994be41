package dev.plumb.cli.text;

import dev.plumb.export.flame.Amount;
import dev.plumb.profile.Profile;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A histogram of latencies, for profiles whose rows have the label {@code latency}: the lower bound
 * of the row's bucket, e.g. {@code 64us}.
 */
final class Histogram {
  private static final String LABEL = "latency";
  private static final int WIDTH = 40;

  /** By microseconds. */
  private final TreeMap<Long, Long> counts = new TreeMap<>();

  private Histogram() {}

  /** Of a profile; none if its rows have no such label. */
  static Optional<Histogram> of(Profile profile) {
    Histogram histogram = new Histogram();
    profile
        .countType()
        .ifPresent(
            type -> {
              for (int row = 0; row < profile.rows(); row++) {
                String latency = profile.labels(row).values().getOrDefault(LABEL, "");
                if (latency.endsWith("us")) {
                  long micros = Long.parseLong(latency.substring(0, latency.length() - 2));
                  histogram.counts.merge(micros, profile.value(row, type), Long::sum);
                }
              }
            });
    return histogram.counts.isEmpty() ? Optional.empty() : Optional.of(histogram);
  }

  /** One line per bucket, the shortest first. */
  void print(PrintWriter out, Colours colours, String title) {
    long most = counts.values().stream().max(Comparator.naturalOrder()).orElse(1L);
    long all = counts.values().stream().mapToLong(Long::longValue).sum();
    TextTable table = new TextTable("FROM", title, "% OF ALL", "<");
    for (Map.Entry<Long, Long> bucket : counts.entrySet()) {
      int bar = (int) Math.ceilDiv(bucket.getValue() * WIDTH, most);
      table.row(
          Amount.of(bucket.getKey() * 1000, "", "nanoseconds"),
          Amount.grouped(bucket.getValue()),
          Amount.percent(bucket.getValue(), all),
          "█".repeat(bar));
    }
    table.print(out, colours);
  }
}
