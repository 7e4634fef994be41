package dev.plumb.export.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;

/** Writes JSON into memory; the text is safe within a script element. */
public final class Json {
  private final StringBuilder text = new StringBuilder();

  public Json open(char bracket) {
    separate();
    text.append(bracket);
    return this;
  }

  public Json close(char bracket) {
    text.append(bracket);
    return this;
  }

  public Json key(String name) {
    separate();
    quote(name);
    text.append(':');
    return this;
  }

  public Json value(String value) {
    separate();
    quote(value);
    return this;
  }

  public Json value(long value) {
    separate();
    text.append(value);
    return this;
  }

  public Json value(boolean value) {
    separate();
    text.append(value);
    return this;
  }

  /** Infinities and NaN become 0, because JSON has none. */
  public Json value(double value) {
    separate();
    if (Double.isFinite(value)) {
      text.append(value);
    } else {
      text.append(0);
    }
    return this;
  }

  /** {@code null}. */
  public Json nothing() {
    separate();
    text.append("null");
    return this;
  }

  private void separate() {
    if (text.isEmpty()) {
      return;
    }
    char last = text.charAt(text.length() - 1);
    if (last != '{' && last != '[' && last != ':') {
      text.append(',');
    }
  }

  private void quote(String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      boolean lone =
          Character.isSurrogate(c)
              && !(Character.isHighSurrogate(c)
                  ? i + 1 < value.length() && Character.isLowSurrogate(value.charAt(i + 1))
                  : i > 0 && Character.isHighSurrogate(value.charAt(i - 1)));
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < 0x20 || c == '<' || c == '>' || c == '\u2028' || c == '\u2029' || lone) {
        text.append(String.format("\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }

  /** The number of characters so far. */
  public int length() {
    return text.length();
  }

  /** Writes the text as UTF-8, in pieces, so that a large one is not in memory twice. */
  public void writeTo(OutputStream out) throws IOException {
    java.io.Writer writer = new OutputStreamWriter(out, StandardCharsets.UTF_8);
    char[] some = new char[8192];
    for (int from = 0; from < text.length(); from += some.length) {
      int to = Math.min(text.length(), from + some.length);
      text.getChars(from, to, some, 0);
      writer.write(some, 0, to - from);
    }
    writer.flush();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
