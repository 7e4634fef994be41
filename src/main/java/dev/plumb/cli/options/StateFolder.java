package dev.plumb.cli.options;

import dev.plumb.linux.SystemCalls;
import java.nio.file.Path;
import java.util.Map;

/** Where Plumb keeps what outlives it. */
public final class StateFolder {
  private StateFolder() {}

  /**
   * What this process writes from now on, nobody else may read: DuckDB and the spool make their
   * files as the process's umask says, time and again.
   */
  public static void keepPrivate() {
    SystemCalls.umask(0077);
  }

  /** {@code /var/lib/plumb} of root's, else in the user's state folder, as XDG has it. */
  static Path of(Map<String, String> environment, boolean root) {
    String own = environment.getOrDefault("PLUMB_STATE", "");
    if (!own.isEmpty()) {
      return Path.of(own);
    }
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    if (!state.isEmpty()) {
      return Path.of(state, "plumb");
    }
    return root
        ? Path.of("/var/lib/plumb")
        : Path.of(environment.getOrDefault("HOME", "."), ".local", "state", "plumb");
  }

  public static Path ofThisUser() {
    return of(System.getenv(), System.getProperty("user.name").equals("root"));
  }

  /** Where the store lies unless told otherwise. */
  public static Path store() {
    return ofThisUser().resolve("store");
  }
}
