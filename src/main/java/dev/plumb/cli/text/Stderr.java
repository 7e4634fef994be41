package dev.plumb.cli.text;

/** What Plumb says about itself, whoever's words are in it. */
public final class Stderr {
  private Stderr() {}

  public static void say(String text) {
    System.err.println("plumb: " + SafeText.lines(text));
  }
}
