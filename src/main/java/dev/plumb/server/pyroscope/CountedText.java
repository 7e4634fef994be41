package dev.plumb.server.pyroscope;

/** A text that may be looked at so many times: a pattern that goes round in circles is stopped. */
record CountedText(String text, int[] looks) implements CharSequence {
  private static final int MAX_LOOKS = 100_000;

  /** It was looked at too often. */
  static final class TooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super("too long", null, false, false);
    }
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public char charAt(int index) {
    if (++looks[0] > MAX_LOOKS) {
      throw new TooLong();
    }
    return text.charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return new CountedText(text.substring(start, end), looks);
  }

  @Override
  public String toString() {
    return text;
  }
}
