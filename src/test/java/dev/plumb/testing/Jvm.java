package dev.plumb.testing;

import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The JVM that runs the tests, to start others like it. */
public final class Jvm {
  private Jvm() {}

  /** The file of the {@code java} command. */
  public static Path java() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /** A command line that runs a class with only what these classes need on its class path. */
  public static List<String> command(Class<?> main, Class<?>... needed) {
    List<Class<?>> all = new ArrayList<>(List.of(main));
    all.addAll(Arrays.asList(needed));
    String path =
        all.stream().map(c -> location(c).toString()).distinct().collect(Collectors.joining(":"));
    return List.of(
        java().toString(),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "--enable-native-access=ALL-UNNAMED",
        "-cp",
        path,
        main.getName());
  }

  /** The folder or jar that a class came from. */
  public static Path location(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
