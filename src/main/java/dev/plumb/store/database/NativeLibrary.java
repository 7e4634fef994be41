package dev.plumb.store.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * DuckDB's library. Its driver unpacks 60 MB into the temporary folder at every start and deletes
 * them when the JVM ends, which a process that is killed never does. Once it is loaded, the file is
 * not needed under its name any more.
 */
final class NativeLibrary {
  private static final String PREFIX = "libduckdb_java";

  private NativeLibrary() {}

  /** Deletes the unpacked file of this process; one that was not unpacked stays. */
  static void unlink() {
    Path folder = Path.of(System.getProperty("java.io.tmpdir")).toAbsolutePath();
    try {
      List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
      for (String line : maps) {
        int path = line.indexOf('/');
        if (path < 0 || !line.endsWith(".so")) {
          continue;
        }
        Path file = Path.of(line.substring(path));
        if (file.getFileName().toString().startsWith(PREFIX) && folder.equals(file.getParent())) {
          Files.deleteIfExists(file);
        }
      }
    } catch (IOException e) {
      // Then it is deleted when the JVM ends.
    }
  }
}
