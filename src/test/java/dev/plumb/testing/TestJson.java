package dev.plumb.testing;

import dev.plumb.export.wire.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A strict little JSON parser: maps, lists, strings, doubles, booleans, null. */
public final class TestJson {
  private final String text;
  private int at;

  private TestJson(String text) {
    this.text = text;
  }

  public static Object parse(String text) {
    TestJson parser = new TestJson(text);
    Object value = parser.value();
    parser.space();
    if (parser.at != text.length()) {
      throw parser.bad();
    }
    return value;
  }

  /** A JSON string. */
  static String quote(String value) {
    Json json = new Json();
    return json.value(value).toString();
  }

  private Object value() {
    space();
    char c = text.charAt(at);
    return switch (c) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", Boolean.TRUE);
      case 'f' -> word("false", Boolean.FALSE);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> map = new LinkedHashMap<>();
    at++;
    space();
    if (skip('}')) {
      return map;
    }
    do {
      space();
      String key = string();
      space();
      expect(':');
      map.put(key, value());
      space();
    } while (skip(','));
    expect('}');
    return map;
  }

  private List<Object> array() {
    List<Object> list = new ArrayList<>();
    at++;
    space();
    if (skip(']')) {
      return list;
    }
    do {
      list.add(value());
      space();
    } while (skip(','));
    expect(']');
    return list;
  }

  private String string() {
    expect('"');
    StringBuilder result = new StringBuilder();
    while (text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c < 0x20) {
        throw bad();
      }
      if (c != '\\') {
        result.append(c);
        continue;
      }
      char escaped = text.charAt(at++);
      switch (escaped) {
        case 'u' -> {
          result.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
          at += 4;
        }
        case 'n' -> result.append('\n');
        case 't' -> result.append('\t');
        case 'r' -> result.append('\r');
        case 'b' -> result.append('\b');
        case 'f' -> result.append('\f');
        default -> result.append(escaped);
      }
    }
    at++;
    return result.toString();
  }

  private Double number() {
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (from == at) {
      throw bad();
    }
    return Double.valueOf(text.substring(from, at));
  }

  private Object word(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw bad();
    }
    at += word.length();
    return value;
  }

  private void space() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private boolean skip(char c) {
    boolean there = at < text.length() && text.charAt(at) == c;
    at += there ? 1 : 0;
    return there;
  }

  private void expect(char c) {
    if (!skip(c)) {
      throw bad();
    }
  }

  private IllegalArgumentException bad() {
    String around = text.substring(Math.max(0, at - 20), Math.min(text.length(), at + 20));
    return new IllegalArgumentException("not JSON at " + at + ": " + around);
  }
}
