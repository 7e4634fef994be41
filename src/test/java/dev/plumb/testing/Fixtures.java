package dev.plumb.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Programs and objects that tests make with real compilers, under {@code target/fixtures}. */
public final class Fixtures {
  private static final Path DIRECTORY = Path.of("target", "fixtures").toAbsolutePath();

  private Fixtures() {}

  /** Compiles C to {@code name}; {@code options} may link, {@code -c} or {@code -shared} too. */
  public static Path gcc(String name, String source, String... options) {
    return compile("gcc", name, ".c", source, options);
  }

  /** The same by clang, which knows other architectures: {@code --target=…}. */
  public static Path clang(String name, String source, String... options) {
    return compile("clang-19", name, ".c", source, options);
  }

  /** Assembles with gcc. */
  public static Path assemble(String name, String source, String... options) {
    return compile("gcc", name, ".s", source, options);
  }

  /** A path for a file that a test makes itself. */
  public static Path file(String name) {
    try {
      Files.createDirectories(DIRECTORY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return DIRECTORY.resolve(name);
  }

  private static Path compile(
      String compiler, String name, String ending, String source, String... options) {
    Path output = file(name);
    Path input = file(name + ending);
    try {
      Files.writeString(input, source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command = new ArrayList<>(List.of(compiler, input.toString()));
    command.addAll(List.of(options));
    command.addAll(List.of("-o", output.toString()));
    run(command.toArray(String[]::new));
    return output;
  }

  /** Runs a command in the fixtures' folder; its output, or an error that shows it. */
  public static String run(String... command) {
    try {
      Path log = Files.createTempFile("plumb-fixture", ".log");
      try {
        Process process =
            new ProcessBuilder(command)
                .directory(file("").toFile())
                .redirectOutput(log.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        int code = process.waitFor();
        String output = new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
        if (code != 0) {
          throw new AssertionError(
              String.join(" ", command) + " ended with " + code + "\n" + output);
        }
        return output;
      } finally {
        Files.delete(log);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
