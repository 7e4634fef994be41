package dev.plumb.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Compiles and runs the test programs in {@code src/test/targets}. */
public final class Programs {
  private static final Path SOURCES = Path.of("src/test/targets");
  static final Path BINARIES = Path.of("target/targets");

  private Programs() {}

  /** A C program with frame pointers. */
  public static Path compiled(String name, String... flags) {
    return compile(SOURCES.resolve(name + ".c"), BINARIES.resolve(name), flags);
  }

  /** The program {@code chains} as distributions compile programs, without frame pointers. */
  public static Path withoutFramePointers(String binary, String... flags) {
    List<String> all =
        new ArrayList<>(
            List.of(
                "-fomit-frame-pointer", "-momit-leaf-frame-pointer", "-foptimize-sibling-calls"));
    all.addAll(List.of(flags));
    return compile(
        SOURCES.resolve("chains.c"), BINARIES.resolve(binary), all.toArray(String[]::new));
  }

  /**
   * Any C source to any place, with frame pointers and no optimisation that hides a function. Where
   * there are no sources, on another kernel, it was compiled before.
   */
  public static Path compile(Path source, Path binary, String... flags) {
    if (!Files.exists(source) && Files.exists(binary)) {
      return binary.toAbsolutePath();
    }
    try {
      Files.createDirectories(binary.toAbsolutePath().getParent());
      List<String> command =
          new ArrayList<>(
              List.of(
                  "gcc",
                  "-O2",
                  "-g",
                  "-pthread",
                  "-fno-omit-frame-pointer",
                  "-mno-omit-leaf-frame-pointer",
                  "-fno-optimize-sibling-calls",
                  "-fno-ipa-icf"));
      command.addAll(List.of(flags));
      command.addAll(List.of(source.toString(), "-o", binary.toString()));
      run(command);
      return binary.toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether this is another kernel than the machine's, on a CPU that is slow and often late. */
  public static boolean onEmulatedMachine() {
    return !Files.exists(SOURCES);
  }

  /** Runs a command to its end; its output. Fails if it does. */
  public static String run(List<String> command) {
    try {
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new AssertionError(command + " ended with " + code + ":\n" + out);
      }
      return out;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  public static String run(String... command) {
    return run(List.of(command));
  }

  /** A command in the background that ends with its block. */
  public static Running start(Path program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    try {
      return new Running(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A program that runs. */
  public record Running(Process process) implements AutoCloseable {
    public int pid() {
      return (int) process.pid();
    }

    /** Waits for its end; what it printed. */
    public String output() throws Exception {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor(60, TimeUnit.SECONDS);
      return out.strip();
    }

    @Override
    public void close() {
      process.destroyForcibly();
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
