package dev.plumb.store;

import java.util.ArrayList;
import java.util.List;

/** Parses {@code {name="value", other=~"pattern"}}. */
final class SelectorParser {
  private static final Matcher.Operator[] LONGEST_FIRST = {
    Matcher.Operator.NOT_EQUAL,
    Matcher.Operator.MATCHES,
    Matcher.Operator.NOT_MATCHES,
    Matcher.Operator.EQUAL
  };

  private final String text;
  private int at;

  SelectorParser(String text) {
    this.text = text;
  }

  Selector parse() {
    List<Matcher> matchers = new ArrayList<>();
    expect('{');
    skipSpace();
    while (!at('}')) {
      if (matchers.size() == Selector.MAX_MATCHERS) {
        throw Selector.tooMany();
      }
      matchers.add(matcher());
      skipSpace();
      if (!at('}')) {
        expect(',');
        skipSpace();
      }
    }
    expect('}');
    skipSpace();
    if (at < text.length()) {
      throw wrong("the end of the selector");
    }
    return new Selector(matchers);
  }

  private Matcher matcher() {
    int start = at;
    while (at < text.length() && isNamePart(text.charAt(at))) {
      at++;
    }
    if (at == start) {
      throw wrong("a label name");
    }
    String name = text.substring(start, at);
    skipSpace();
    Matcher.Operator operator = operator();
    skipSpace();
    return new Matcher(name, operator, quoted());
  }

  private Matcher.Operator operator() {
    for (Matcher.Operator operator : LONGEST_FIRST) {
      if (text.startsWith(operator.sign(), at)) {
        at += operator.sign().length();
        return operator;
      }
    }
    throw wrong("one of = != =~ !~");
  }

  private String quoted() {
    expect('"');
    StringBuilder value = new StringBuilder();
    while (!at('"')) {
      if (at >= text.length()) {
        throw wrong("a closing quote");
      }
      char c = text.charAt(at++);
      value.append(c == '\\' && at < text.length() ? escaped(text.charAt(at++)) : c);
    }
    expect('"');
    return value.toString();
  }

  private char escaped(char c) {
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case '\\', '"', '\'' -> c;
      default -> throw wrong("one of \\n \\t \\r \\\\ \\\" after a backslash");
    };
  }

  /** Names that OpenTelemetry gives contain dots. */
  private static boolean isNamePart(char c) {
    return c == '_' || c == '.' || c < 128 && Character.isLetterOrDigit(c);
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private boolean at(char c) {
    return at < text.length() && text.charAt(at) == c;
  }

  private void expect(char c) {
    if (!at(c)) {
      throw wrong("'" + c + "'");
    }
    at++;
  }

  private IllegalArgumentException wrong(String wanted) {
    return new IllegalArgumentException(
        "bad selector at character %d of %s: expected %s; e.g. {comm=\"java\"}"
            .formatted(at + 1, text.length() > 200 ? text.substring(0, 200) + "…" : text, wanted));
  }
}
