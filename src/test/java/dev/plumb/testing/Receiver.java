package dev.plumb.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A server on Pyroscope's own generated handlers ({@code src/test/go/receiver}). */
public final class Receiver implements AutoCloseable {
  private final Process process;
  private final Path out;
  private final int port;

  private Receiver(Process process, Path out, int port) {
    this.process = process;
    this.out = out;
    this.port = port;
  }

  /** One that refuses some requests first; on any port if 0 is given. */
  public static Receiver start(int port, int failures) throws Exception {
    return start(port, failures, 0, 0);
  }

  /** One that takes so many bytes a second, and at once. */
  public static Receiver start(int port, int failures, int rate, int burst) throws Exception {
    Path out = Files.createTempFile(Programs.BINARIES, "received", ".txt");
    Process process =
        new ProcessBuilder(
                GoPrograms.built("receiver").toString(),
                Integer.toString(port),
                Integer.toString(failures),
                Integer.toString(rate),
                Integer.toString(burst))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(out.toFile())
            .start();
    String first = "";
    while (!first.endsWith("\n") && process.isAlive()) {
      Thread.sleep(10);
      first = Files.readString(out);
    }
    return new Receiver(process, out, Integer.parseInt(first.strip()));
  }

  public int port() {
    return port;
  }

  public String url() {
    return "http://127.0.0.1:" + port;
  }

  /** Ends it; what it received, a map of names and values for each profile. */
  public List<Map<String, String>> received() throws Exception {
    process.destroy();
    process.waitFor();
    List<Map<String, String>> all = new ArrayList<>();
    for (String line : Files.readAllLines(out).stream().skip(1).toList()) {
      Map<String, String> one = new HashMap<>();
      for (String part : line.split("\t")) {
        int sign = part.indexOf('=');
        one.put(part.substring(0, sign), part.substring(sign + 1));
      }
      all.add(one);
    }
    return all;
  }

  /** The sum of what is named so, over all profiles of that name. */
  public static long sum(List<Map<String, String>> received, String name, String type) {
    return received.stream()
        .filter(one -> one.get("__name__").equals(name))
        .mapToLong(one -> Long.parseLong(one.getOrDefault("sum of " + type, "0")))
        .sum();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(out);
  }

  /** The Go programs of the tests. */
  static final class GoPrograms {
    private GoPrograms() {}

    static Path built(String name) throws IOException {
      Path binary = Programs.BINARIES.resolve(name).toAbsolutePath();
      Process build =
          new ProcessBuilder("go", "build", "-o", binary.toString(), ".")
              .directory(Path.of("src/test/go", name).toFile())
              .inheritIO()
              .start();
      try {
        if (build.waitFor() != 0) {
          throw new AssertionError("cannot build " + name);
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return binary;
    }
  }
}
