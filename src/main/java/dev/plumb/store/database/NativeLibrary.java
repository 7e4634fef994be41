package dev.plumb.store.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * DuckDB's native library. At every start the driver unpacks 60 MB into the temporary folder; it
 * deletes them when the JVM exits, so a killed process leaves them behind. Once the library is
 * loaded, its file can be unlinked.
 */
final class NativeLibrary {
  private static final String PREFIX = "libduckdb_java";

  private NativeLibrary() {}

  /** Deletes the file that this process unpacked; an installed library stays. */
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
      // Then the driver deletes it when the JVM exits.
    }
  }
}
