package dev.plumb.store;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Conditions that must all hold, such as {@code {comm="java", container=~"shop.*"}}. A selector
 * without conditions matches everything.
 */
public record Selector(List<Matcher> matchers) {
  public static final Selector ALL = new Selector(List.of());

  /** Each becomes a condition in SQL and is tested on every series. */
  public static final int MAX_MATCHERS = 100;

  public Selector {
    matchers = List.copyOf(matchers);
    if (matchers.size() > MAX_MATCHERS) {
      throw tooMany();
    }
  }

  static IllegalArgumentException tooMany() {
    return new IllegalArgumentException(
        "the selector has more than %d conditions; use a pattern instead, e.g. {comm=~\"a|b\"}"
            .formatted(MAX_MATCHERS));
  }

  /** Parses a selector; throws an IllegalArgumentException that says where it is wrong. */
  public static Selector parse(String text) {
    return new SelectorParser(text).parse();
  }

  /** As a user writes it. */
  @Override
  public String toString() {
    return matchers.stream().map(Matcher::toString).collect(Collectors.joining(", ", "{", "}"));
  }
}
