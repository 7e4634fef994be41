package dev.plumb.cli;

/** What Plumb says about itself, whoever's words are in it. */
final class Stderr {
  private Stderr() {}

  static void say(String text) {
    System.err.println("plumb: " + SafeText.lines(text));
  }
}
