package dev.plumb.server.pyroscope.wire;

/** Quotes text as Go's {@code %q} does. */
public final class GoQuoting {
  private GoQuoting() {}

  public static String quoted(String text) {
    String cut = text.length() > 1000 ? text.substring(0, 1000) : text;
    StringBuilder result = new StringBuilder("\"");
    for (int i = 0; i < cut.length(); i++) {
      char c = cut.charAt(i);
      switch (c) {
        case '"', '\\' -> result.append('\\').append(c);
        case '\n' -> result.append("\\n");
        case '\t' -> result.append("\\t");
        case '\r' -> result.append("\\r");
        default -> {
          if (c < 0x20 || c == 0x7f) {
            result.append("\\x%02x".formatted((int) c));
          } else {
            result.append(c);
          }
        }
      }
    }
    return result.append('"').toString();
  }
}
