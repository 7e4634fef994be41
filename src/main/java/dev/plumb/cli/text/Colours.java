package dev.plumb.cli.text;

/**
 * Colours on a terminal, and none elsewhere: not in a pipe, not with {@code NO_COLOR} set, not on a
 * dumb terminal.
 */
public final class Colours {
  public static final Colours NONE = new Colours(false);

  private final boolean enabled;

  private Colours(boolean enabled) {
    this.enabled = enabled;
  }

  public static Colours ofStandardOutput() {
    return of(Terminal.isStandardOutput());
  }

  public static Colours ofStandardError() {
    return of(Terminal.isStandardError());
  }

  private static Colours of(boolean terminal) {
    boolean wanted = System.getenv().getOrDefault("NO_COLOR", "").isEmpty();
    String kind = System.getenv().getOrDefault("TERM", "dumb");
    return terminal && wanted && !kind.equals("dumb") ? new Colours(true) : NONE;
  }

  public static Colours always() {
    return new Colours(true);
  }

  public String bold(String text) {
    return wrap("1", text);
  }

  public String soft(String text) {
    return wrap("2", text);
  }

  public String more(String text) {
    return wrap("31", text);
  }

  public String less(String text) {
    return wrap("34", text);
  }

  public String good(String text) {
    return wrap("32", text);
  }

  public String warn(String text) {
    return wrap("33", text);
  }

  private String wrap(String code, String text) {
    return enabled ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }
}
