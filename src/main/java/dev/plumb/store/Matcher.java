package dev.plumb.store;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** One condition on a label; a missing label counts as empty. */
public record Matcher(String name, Operator operator, String value) {
  /** {@link Pattern} recurses per parenthesis. */
  private static final int MAX_PATTERN = 1000;

  /** How a matcher compares a label's value. */
  public enum Operator {
    EQUAL("="),
    NOT_EQUAL("!="),
    MATCHES("=~"),
    NOT_MATCHES("!~");

    private final String sign;

    Operator(String sign) {
      this.sign = sign;
    }

    public String sign() {
      return sign;
    }
  }

  public Matcher {
    if (operator == Operator.MATCHES || operator == Operator.NOT_MATCHES) {
      if (value.length() > MAX_PATTERN) {
        throw new IllegalArgumentException(
            "the pattern of '%s' is longer than %d characters".formatted(name, MAX_PATTERN));
      }
      try {
        Pattern.compile(value);
      } catch (PatternSyntaxException e) {
        throw new IllegalArgumentException(
            "the pattern of '%s' is not a regular expression: %s"
                .formatted(name, e.getDescription()),
            e);
      }
    }
  }

  /** As written in a selector. */
  @Override
  public String toString() {
    return name + operator.sign() + '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
