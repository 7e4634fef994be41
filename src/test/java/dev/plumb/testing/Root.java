package dev.plumb.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** Whether this is root, also where there is no list of users. */
public final class Root {
  private Root() {}

  public static boolean is() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Skips a test that loads BPF programs, if this is not root. */
  public static void isNeeded() {
    Assumptions.assumeTrue(is(), "loading BPF programs needs root");
  }
}
