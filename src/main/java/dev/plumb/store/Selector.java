package dev.plumb.store;

import java.util.List;
import java.util.stream.Collectors;

/** Conditions that all hold, as {@code {comm="java", container=~"shop.*"}}; none holds for all. */
public record Selector(List<Matcher> matchers) {
  public static final Selector ALL = new Selector(List.of());

  /** Each is a condition in SQL, and all are looked at for each series. */
  public static final int MAX_MATCHERS = 100;

  public Selector {
    matchers = List.copyOf(matchers);
    if (matchers.size() > MAX_MATCHERS) {
      throw tooMany();
    }
  }

  static IllegalArgumentException tooMany() {
    return new IllegalArgumentException(
        "a selector of more than %d conditions: use a pattern instead, e.g. {comm=~\"a|b\"}"
            .formatted(MAX_MATCHERS));
  }

  /** Reads a selector; throws IllegalArgumentException that says where it is wrong. */
  public static Selector parse(String text) {
    return new SelectorParser(text).parse();
  }

  /** As it is written. */
  @Override
  public String toString() {
    return matchers.stream().map(Matcher::toString).collect(Collectors.joining(", ", "{", "}"));
  }
}
