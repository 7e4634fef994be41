package dev.plumb.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Real programs that tests compare with. */
public final class ExternalTools {
  private ExternalTools() {}

  /** The program, or the test is skipped with the reason. */
  public static Path need(String name) {
    Optional<Path> found = find(name);
    assumeTrue(found.isPresent(), name + " is not installed");
    return found.orElseThrow();
  }

  public static Optional<Path> find(String name) {
    Stream<String> path = Stream.of(System.getenv("PATH").split(File.pathSeparator));
    Stream<String> others =
        Stream.of(
            System.getProperty("user.home") + "/.cache/plumb-tools/bin",
            "target/tools/bin",
            "/usr/local/go/bin",
            System.getProperty("user.home") + "/.cargo/bin");
    return Stream.concat(path, others)
        .map(folder -> Path.of(folder, name).toAbsolutePath())
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Runs a command to its end; what it printed. */
  public static String run(Object... command) throws IOException, InterruptedException {
    return runIn(Path.of("."), command);
  }

  public static String runIn(Path folder, Object... command)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    for (Object word : command) {
      words.add(word.toString());
    }
    Path errors = Files.createTempFile("plumb-test-", ".err");
    try {
      Process process =
          new ProcessBuilder(words)
              .directory(folder.toFile())
              .redirectError(errors.toFile())
              .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
              .start();
      String output;
      try (InputStream in = process.getInputStream()) {
        output = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
      assertThat(process.waitFor(120, TimeUnit.SECONDS)).as("%s ends", words).isTrue();
      assertThat(process.exitValue()).as("%s: %s", words, Files.readString(errors)).isZero();
      return output;
    } finally {
      Files.deleteIfExists(errors);
    }
  }
}
