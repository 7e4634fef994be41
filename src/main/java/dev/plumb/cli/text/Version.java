package dev.plumb.cli.text;

/** The version of Plumb. */
public final class Version {
  public static final String TEXT = "0.1.0";

  private Version() {}
}
