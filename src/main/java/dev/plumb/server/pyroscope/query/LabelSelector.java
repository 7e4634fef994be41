package dev.plumb.server.pyroscope.query;

import dev.plumb.server.http.Refusal;
import dev.plumb.store.Matcher;
import dev.plumb.store.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * Parses selectors with Prometheus's grammar and error messages, which Pyroscope's clients show. It
 * takes more forms than the store's own parser: quoted names, three kinds of quotes, hex escapes.
 */
final class LabelSelector {
  private final String text;
  private int at;

  private LabelSelector(String text) {
    this.text = text;
  }

  /** {@code {name="value", other=~"pattern"}}. */
  static List<Matcher> parse(String text) {
    LabelSelector run = new LabelSelector(text);
    run.skipSpace();
    if (run.at >= text.length()) {
      throw Refusal.invalid("unknown position: parse error: unexpected end of input");
    }
    return run.braces();
  }

  /** The part before the braces of {@code name:type:unit:period:unit{…}}. */
  static String head(String query) {
    int brace = query.indexOf('{');
    return (brace < 0 ? query : query.substring(0, brace)).strip();
  }

  /** The matchers of such a query; none if there are no braces. */
  static List<Matcher> tail(String query) {
    int brace = query.indexOf('{');
    if (brace < 0) {
      return List.of();
    }
    LabelSelector run = new LabelSelector(query);
    run.at = brace;
    return run.braces();
  }

  private List<Matcher> braces() {
    List<Matcher> matchers = new ArrayList<>();
    if (!take("{")) {
      throw wrong("unexpected %s, expected \"{\"".formatted(shown()));
    }
    skipSpace();
    while (!take("}")) {
      if (matchers.size() == Selector.MAX_MATCHERS) {
        throw wrong("more than %d matchers".formatted(Selector.MAX_MATCHERS));
      }
      matchers.add(matcher());
      skipSpace();
      if (!take(",") && !at("}")) {
        throw inBraces("\",\" or \"}\"");
      }
      skipSpace();
    }
    skipSpace();
    if (at < text.length()) {
      throw wrong("unexpected " + shown());
    }
    return matchers;
  }

  private Matcher matcher() {
    int start = at;
    while (at < text.length() && isNamePart(text.charAt(at), at == start)) {
      at++;
    }
    String name = text.substring(start, at);
    if (name.isEmpty()) {
      name = at("\"") ? quoted() : "";
    }
    if (name.isEmpty()) {
      throw inBraces("identifier or \"}\"");
    }
    skipSpace();
    Matcher.Operator operator = operator();
    skipSpace();
    if (at >= text.length() || "\"'`".indexOf(text.charAt(at)) < 0) {
      throw inBraces("string");
    }
    String value = quoted();
    try {
      return new Matcher(name, operator, value);
    } catch (IllegalArgumentException e) {
      throw wrong(e.getMessage());
    }
  }

  private Matcher.Operator operator() {
    if (take("!=")) {
      return Matcher.Operator.NOT_EQUAL;
    }
    if (take("=~")) {
      return Matcher.Operator.MATCHES;
    }
    if (take("!~")) {
      return Matcher.Operator.NOT_MATCHES;
    }
    if (take("=")) {
      return Matcher.Operator.EQUAL;
    }
    throw inBraces("label matching operator");
  }

  private String quoted() {
    int start = at;
    char quote = text.charAt(at++);
    StringBuilder value = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote) {
      char c = text.charAt(at++);
      if (c == '\\' && quote != '`') {
        escape(value, start);
      } else {
        value.append(c);
      }
    }
    if (at >= text.length()) {
      at = start;
      throw wrong("unterminated quoted string");
    }
    at++;
    return value.toString();
  }

  private void escape(StringBuilder value, int start) {
    char c = at < text.length() ? text.charAt(at++) : 0;
    switch (c) {
      case 'n' -> value.append('\n');
      case 't' -> value.append('\t');
      case 'r' -> value.append('\r');
      case '\\', '"', '\'' -> value.append(c);
      case 'x' -> value.append((char) hex(2, start));
      case 'u' -> value.append((char) hex(4, start));
      case 0 -> {}
      default -> throw wrong("unknown escape sequence U+%04X '%c'".formatted((int) c, c));
    }
  }

  private int hex(int digits, int start) {
    int code = 0;
    for (int i = 0; i < digits; i++) {
      int digit = at < text.length() ? Character.digit(text.charAt(at++), 16) : -1;
      if (digit < 0) {
        at = start;
        throw wrong("illegal character in escape sequence");
      }
      code = code << 4 | digit;
    }
    return code;
  }

  /** OpenTelemetry's names contain dots. */
  private static boolean isNamePart(char c, boolean first) {
    boolean letter = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
    return letter || !first && (c >= '0' && c <= '9' || c == '.');
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private boolean at(String sign) {
    return text.startsWith(sign, at);
  }

  private boolean take(String sign) {
    boolean there = at(sign);
    at += there ? sign.length() : 0;
    return there;
  }

  private String shown() {
    String rest = text.substring(at);
    return '"' + (rest.length() > 40 ? rest.substring(0, 40) : rest) + '"';
  }

  private Refusal inBraces(String wanted) {
    if (at >= text.length()) {
      return wrong("unexpected end of input inside braces");
    }
    return wrong(
        "unexpected \"%c\" in label matching, expected %s".formatted(text.charAt(at), wanted));
  }

  private Refusal wrong(String what) {
    return Refusal.invalid("1:%d: parse error: %s", at + 1, what);
  }
}
