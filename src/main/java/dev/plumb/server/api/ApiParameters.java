package dev.plumb.server.api;

import dev.plumb.profile.ProfileType;
import dev.plumb.server.http.Refusal;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.TimeRange;
import io.helidon.common.uri.UriQuery;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the parameters of a query. Times are in milliseconds since 1970. */
final class ApiParameters {
  private static final BigDecimal NANOS_PER_MILLI = BigDecimal.valueOf(1_000_000);

  private final UriQuery query;
  private final History history;

  ApiParameters(UriQuery query, History history) {
    this.query = query;
    this.history = history;
  }

  /** The value of a parameter; empty if it is missing. */
  String text(String name) {
    return query.first(name).orElse("");
  }

  /** The value of a required parameter. */
  String need(String name, String example) {
    String text = text(name);
    if (text.isEmpty()) {
      throw Refusal.invalid(
          "%s", "the parameter '%s' is missing; e.g. %s=%s".formatted(name, name, example));
    }
    return text;
  }

  int number(String name, int unless, int least, int most) {
    String text = text(name);
    if (text.isEmpty()) {
      return unless;
    }
    try {
      return Math.clamp(Long.parseLong(text), least, most);
    } catch (NumberFormatException e) {
      throw Refusal.invalid(
          "%s",
          "'%s' is not a whole number: %s; it may be %d to %d"
              .formatted(name, shortened(text), least, most));
    }
  }

  boolean flag(String name) {
    String text = text(name);
    return text.equals("1") || text.equals("true");
  }

  /** All values of a parameter that may be given several times. */
  List<String> all(String name) {
    return query.contains(name) ? query.all(name) : List.of();
  }

  /** Words separated by commas. */
  List<String> words(String name) {
    return Arrays.stream(text(name).split(",")).filter(word -> !word.isBlank()).toList();
  }

  TimeRange range() {
    return range("");
  }

  /** The time range; {@code suffix} is {@code 2} for the second side of a comparison. */
  TimeRange range(String suffix) {
    OptionalLong wantedFrom = nanos("from" + suffix);
    OptionalLong wantedTo = nanos("to" + suffix);
    // Finding out which data there is takes longer than everything else.
    boolean whole = wantedFrom.isPresent() && wantedTo.isPresent();
    Optional<TimeRange> span = whole ? Optional.empty() : history.span();
    long from = wantedFrom.orElseGet(() -> span.map(TimeRange::fromNanos).orElse(0L));
    long to = wantedTo.orElseGet(() -> span.map(TimeRange::toNanos).orElse(0L));
    if (from > to) {
      throw Refusal.invalid("%s", "'from%s' lies after 'to%s'".formatted(suffix, suffix));
    }
    return new TimeRange(from, to);
  }

  private OptionalLong nanos(String name) {
    String text = text(name);
    if (text.isEmpty()) {
      return OptionalLong.empty();
    }
    try {
      if (text.length() > 30) {
        throw new NumberFormatException();
      }
      BigDecimal nanos = new BigDecimal(text).multiply(NANOS_PER_MILLI);
      if (nanos.signum() < 0 || nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
        throw new NumberFormatException();
      }
      return OptionalLong.of(nanos.longValue());
    } catch (NumberFormatException | ArithmeticException e) {
      throw Refusal.invalid(
          "%s",
          "'%s' is not a time: %s; write milliseconds since 1970".formatted(name, shortened(text)));
    }
  }

  Selector selector() {
    return selector("");
  }

  Selector selector(String suffix) {
    String text = text("query" + suffix);
    return text.isBlank() ? Selector.ALL : Selector.parse(text);
  }

  ProfileType type() {
    return ProfileType.parse(need("type", "process_cpu:cpu:nanoseconds:cpu:nanoseconds"));
  }

  Selection selection() {
    return selection("");
  }

  Selection selection(String suffix) {
    return new Selection(type(), selector(suffix), range(suffix), slice(suffix));
  }

  /** {@code 200-400}: those milliseconds of each second. */
  private Selection.Slice slice(String suffix) {
    String text = text("slice" + suffix);
    if (text.isEmpty()) {
      return Selection.Slice.WHOLE;
    }
    String[] parts = text.split("-", -1);
    try {
      if (parts.length == 2 && parts[0].length() < 5 && parts[1].length() < 5) {
        return new Selection.Slice(
            Integer.parseInt(parts[0]) * 1_000_000, Integer.parseInt(parts[1]) * 1_000_000);
      }
    } catch (IllegalArgumentException e) {
      // Refused below, with an example.
    }
    throw Refusal.invalid(
        "%s",
        "'slice%s' is not a part of a second: %s; write e.g. 200-400, in milliseconds"
            .formatted(suffix, shortened(text)));
  }

  /** A number of eight hexadecimal digits. */
  int hash(String name, int unless) {
    String text = text(name);
    if (text.isEmpty()) {
      return unless;
    }
    try {
      return Integer.parseUnsignedInt(text, 16);
    } catch (NumberFormatException e) {
      throw Refusal.invalid(
          "%s", "'%s' is not a hexadecimal number: %s".formatted(name, shortened(text)));
    }
  }

  private static String shortened(String text) {
    return text.length() > 40 ? text.substring(0, 40) + "…" : text;
  }
}
