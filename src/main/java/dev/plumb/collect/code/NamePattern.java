package dev.plumb.collect.code;

/** A name with {@code *} for any letters and {@code ?} for any one. */
public record NamePattern(String text) {
  public boolean isPattern() {
    return text.indexOf('*') >= 0 || text.indexOf('?') >= 0;
  }

  /** In time of length times length at worst: only the last star is ever taken back. */
  public boolean matches(String name) {
    int at = 0;
    int star = -1;
    int mark = 0;
    int i = 0;
    while (i < name.length()) {
      if (at < text.length() && text.charAt(at) == '*') {
        star = at++;
        mark = i;
      } else if (at < text.length()
          && (text.charAt(at) == '?' || text.charAt(at) == name.charAt(i))) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++mark;
      } else {
        return false;
      }
    }
    while (at < text.length() && text.charAt(at) == '*') {
      at++;
    }
    return at == text.length();
  }
}
