package dev.plumb.cli;

import dev.plumb.server.JsonValue;
import dev.plumb.server.JsonValue.Members;
import dev.plumb.server.JsonValue.Numeral;
import dev.plumb.server.Refusal;
import dev.plumb.store.Store;
import dev.plumb.store.StoreException;
import dev.plumb.store.StoreInUseException;
import dev.plumb.store.TimeRange;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** How large a store is, and how large it gets in a day. */
final class StoreGrowth {
  private static final double DAY_NANOS = 86_400e9;

  /** Less says nothing of a day. */
  private static final double LEAST_NANOS = 600e9;

  private StoreGrowth() {}

  /** For people. */
  static String text(Path folder) {
    if (!Files.isDirectory(folder)) {
      return "none yet (plumb serve makes one in " + folder + ")";
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
        : size + "; about %s a day".formatted(ByteSizes.text((long) (bytes * DAY_NANOS / nanos)));
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
    try (Store store = Store.openToRead(folder)) {
      return store.span();
    } catch (StoreInUseException e) {
      return spanOf(e.address());
    }
  }

  /** Asks the server that has it; empty if it does not answer. */
  private static Optional<TimeRange> spanOf(String address) {
    if (address.isEmpty()) {
      return Optional.empty();
    }
    try (HttpClient client =
        HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(address + "api/state"))
              .timeout(Duration.ofSeconds(5))
              .build();
      JsonValue state = JsonValue.parse(client.send(request, BodyHandlers.ofString()).body());
      return state instanceof Members members
              && members.values().get("span") instanceof Members span
          ? Optional.of(new TimeRange(nanos(span, "from"), nanos(span, "to")))
          : Optional.empty();
    } catch (IOException | Refusal | IllegalArgumentException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static long nanos(Members span, String name) {
    return span.values().get(name) instanceof Numeral numeral
        ? (long) (Double.parseDouble(numeral.text()) * 1e6)
        : 0;
  }
}
