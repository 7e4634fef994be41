package dev.plumb.server.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Parses JSON (RFC 8259). Any text yields a value or a {@link Refusal}. */
final class JsonParser {
  private static final int MAX_DEPTH = 64;

  /** The memory that a value takes, without its text. */
  private static final int VALUE_BYTES = 120;

  private static final int BUDGET_STEP = 64 * 1024;

  private final String text;
  private int at;
  private long needed;

  JsonParser(String text) {
    this.text = text;
  }

  JsonValue parse() {
    JsonValue value = value(0);
    skipSpace();
    if (at < text.length()) {
      throw syntax("unexpected token " + token());
    }
    return value;
  }

  private JsonValue value(int depth) {
    if (depth > MAX_DEPTH) {
      throw syntax("nested deeper than %d levels".formatted(MAX_DEPTH));
    }
    skipSpace();
    if (at >= text.length()) {
      throw end();
    }
    need(VALUE_BYTES);
    char c = text.charAt(at);
    return switch (c) {
      case '{' -> members(depth);
      case '[' -> elements(depth);
      case '"' -> new JsonValue.Text(string());
      case 't' -> word("true", new JsonValue.Truth(true));
      case 'f' -> word("false", new JsonValue.Truth(false));
      case 'n' -> word("null", new JsonValue.Nothing());
      default -> {
        if (c == '-' || isDigit(c)) {
          yield numeral();
        }
        throw syntax("invalid value " + token());
      }
    };
  }

  /** Nested brackets take many times their length in memory. */
  private void need(int bytes) {
    needed += bytes;
    if (needed >= BUDGET_STEP) {
      BodyMemoryBudget.take(needed);
      needed = 0;
    }
  }

  private JsonValue members(int depth) {
    Map<String, JsonValue> values = new LinkedHashMap<>();
    at++;
    skipSpace();
    if (take('}')) {
      return new JsonValue.Members(values);
    }
    do {
      skipSpace();
      if (at >= text.length()) {
        throw end();
      }
      if (text.charAt(at) != '"') {
        throw syntax("unexpected token " + token());
      }
      String name = string();
      skipSpace();
      expect(':');
      values.put(name, value(depth + 1));
      skipSpace();
    } while (take(','));
    expect('}');
    return new JsonValue.Members(values);
  }

  private JsonValue elements(int depth) {
    List<JsonValue> values = new ArrayList<>();
    at++;
    skipSpace();
    if (take(']')) {
      return new JsonValue.Elements(values);
    }
    do {
      values.add(value(depth + 1));
      skipSpace();
    } while (take(','));
    expect(']');
    return new JsonValue.Elements(values);
  }

  private String string() {
    StringBuilder result = new StringBuilder();
    at++;
    while (true) {
      if (at >= text.length()) {
        throw end();
      }
      char c = text.charAt(at++);
      if (c == '"') {
        need(VALUE_BYTES / 2 + result.length());
        return result.toString();
      }
      if (c < 0x20) {
        throw syntax("invalid character in string");
      }
      result.append(c == '\\' ? escape() : c);
    }
  }

  private char escape() {
    if (at >= text.length()) {
      throw end();
    }
    char c = text.charAt(at++);
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        if (text.length() - at < 4) {
          throw end();
        }
        int code = 0;
        for (int i = 0; i < 4; i++) {
          int digit = Character.digit(text.charAt(at++), 16);
          if (digit < 0) {
            throw syntax("invalid escape code in string");
          }
          code = code << 4 | digit;
        }
        yield (char) code;
      }
      default -> throw syntax("invalid escape code in string");
    };
  }

  private JsonValue numeral() {
    int start = at;
    take('-');
    boolean zero = at < text.length() && text.charAt(at) == '0';
    int whole = digits();
    boolean good = whole > 0 && !(zero && whole > 1);
    if (take('.')) {
      good &= digits() > 0;
    }
    if (take('e') || take('E')) {
      if (!take('+')) {
        take('-');
      }
      good &= digits() > 0;
    }
    if (!good) {
      throw syntax("invalid number " + text.substring(start, Math.min(at, start + 32)));
    }
    return new JsonValue.Numeral(text.substring(start, at));
  }

  private int digits() {
    int start = at;
    while (at < text.length() && isDigit(text.charAt(at))) {
      at++;
    }
    return at - start;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private JsonValue word(String word, JsonValue value) {
    if (!text.startsWith(word, at)) {
      throw word.startsWith(text.substring(at)) ? end() : syntax("invalid value " + token());
    }
    at += word.length();
    return value;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private boolean take(char c) {
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void expect(char c) {
    if (at >= text.length()) {
      throw end();
    }
    if (!take(c)) {
      throw syntax("unexpected token " + token());
    }
  }

  private String token() {
    int stop = at;
    while (stop < text.length() && stop - at < 16 && text.charAt(stop) > ' ') {
      stop++;
    }
    return text.substring(at, stop);
  }

  private static Refusal end() {
    return new Refusal(ErrorCode.INVALID_ARGUMENT, "unexpected EOF");
  }

  private Refusal syntax(String what) {
    int line = 1;
    int column = 1;
    for (int i = 0; i < at && i < text.length(); i++) {
      column = text.charAt(i) == '\n' ? 1 : column + 1;
      line += text.charAt(i) == '\n' ? 1 : 0;
    }
    return Refusal.invalid("syntax error (line %d:%d): %s", line, column, what);
  }
}
