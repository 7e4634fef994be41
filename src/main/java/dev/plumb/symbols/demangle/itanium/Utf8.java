package dev.plumb.symbols.demangle.itanium;

/** Characters in names whose chars are bytes. */
public final class Utf8 {
  private Utf8() {}

  /** Appends the bytes of its UTF-8 form, each as a char; {@code Demangler} decodes the result. */
  public static void append(int codePoint, StringBuilder out) {
    if (codePoint < 0x80) {
      out.append((char) codePoint);
    } else if (codePoint < 0x800) {
      out.append((char) (0xc0 | codePoint >> 6));
      out.append((char) (0x80 | codePoint & 0x3f));
    } else if (codePoint < 0x10000) {
      out.append((char) (0xe0 | codePoint >> 12));
      out.append((char) (0x80 | codePoint >> 6 & 0x3f));
      out.append((char) (0x80 | codePoint & 0x3f));
    } else {
      out.append((char) (0xf0 | codePoint >> 18));
      out.append((char) (0x80 | codePoint >> 12 & 0x3f));
      out.append((char) (0x80 | codePoint >> 6 & 0x3f));
      out.append((char) (0x80 | codePoint & 0x3f));
    }
  }
}
