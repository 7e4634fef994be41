package dev.plumb.cli.text;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/**
 * Reads keys as they are pressed, on a separate screen; closing it restores the terminal. Without a
 * terminal to read from, no key is ever pressed.
 */
public final class Keyboard implements AutoCloseable {
  static final int NO_KEY = -1;

  private static final String OWN_SCREEN = "\033[?1049h\033[?25l";
  private static final String FORMER_SCREEN = "\033[?25h\033[?1049l";

  /** The terminal's settings before; empty if nothing was changed. */
  private final Optional<String> before;

  private final boolean screen;
  private final InputStream in = System.in;

  private Keyboard(Optional<String> before, boolean screen) {
    this.before = before;
    this.screen = screen;
    if (screen) {
      System.out.print(OWN_SCREEN);
      System.out.flush();
    }
  }

  public static Keyboard none() {
    return new Keyboard(Optional.empty(), false);
  }

  public static Keyboard open() {
    Optional<String> settings = stty("-g");
    settings.ifPresent(s -> stty("-icanon", "-echo", "min", "0"));
    return new Keyboard(settings, true);
  }

  /** The next key that was pressed, or {@link #NO_KEY}; does not wait. */
  public int read() {
    try {
      return before.isPresent() && in.available() > 0 ? in.read() : NO_KEY;
    } catch (IOException e) {
      return NO_KEY;
    }
  }

  private static Optional<String> stty(String... words) {
    String[] command = new String[words.length + 1];
    command[0] = "stty";
    System.arraycopy(words, 0, command, 1, words.length);
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectInput(ProcessBuilder.Redirect.INHERIT)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String out = new String(process.getInputStream().readAllBytes()).strip();
      return process.waitFor() == 0 ? Optional.of(out) : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    before.ifPresent(Keyboard::stty);
    if (screen) {
      System.out.print(FORMER_SCREEN);
      System.out.flush();
    }
  }
}
