package dev.plumb.cli.text;

/** Plumb's own messages, which may contain foreign text. */
public final class Stderr {
  private Stderr() {}

  public static void say(String text) {
    System.err.println("plumb: " + SafeText.lines(text));
  }
}
