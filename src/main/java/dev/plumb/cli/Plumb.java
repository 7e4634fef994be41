package dev.plumb.cli;

/** The entry point. */
public final class Plumb {
  private Plumb() {}

  public static void main(String[] args) {
    System.out.println("plumb");
  }
}
