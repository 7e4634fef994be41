package dev.plumb.cli.options;

import dev.plumb.linux.ProcessCalls;
import java.nio.file.Path;
import java.util.Map;

/** The folder for what outlives a Plumb process. */
public final class StateFolder {
  private StateFolder() {}

  /**
   * From now on, nobody else may read the files that this process creates: DuckDB and the spool
   * create theirs according to its umask.
   */
  public static void keepPrivate() {
    ProcessCalls.umask(0077);
  }

  /** {@code /var/lib/plumb} for root, else in the user's state folder according to XDG. */
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

  /** The default folder of the store. */
  public static Path store() {
    return ofThisUser().resolve("store");
  }
}
