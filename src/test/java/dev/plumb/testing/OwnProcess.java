package dev.plumb.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Plumb in a JVM of its own, from the classes under test, for commands that go on until told. */
public final class OwnProcess implements AutoCloseable {
  private final Process process;
  private final Path log;

  private OwnProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /** Starts a command; what it says goes to a file in the folder. */
  public static OwnProcess start(Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Jvm.java().toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx160m",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.plumb.cli.Plumb"));
    command.addAll(List.of(arguments));
    Path log = Files.createTempFile(folder, "plumb", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
    builder.environment().put("PLUMB_STATE", folder.resolve("state").toString());
    builder.environment().putAll(environment);
    return new OwnProcess(builder.start(), log);
  }

  public int pid() {
    return (int) process.pid();
  }

  /** What it has said so far. */
  public String said() throws IOException {
    return Files.readString(log);
  }

  /** Waits until it says something; fails if it ends before, or says nothing for long. */
  public void await(String text) throws Exception {
    long end = System.nanoTime() + 30_000_000_000L;
    while (!said().contains(text)) {
      if (!process.isAlive() || System.nanoTime() > end) {
        throw new AssertionError("no '" + text + "' in: " + said());
      }
      Thread.sleep(20);
    }
  }

  /** Asks it to end, and waits for that; its exit code. */
  public int end() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("does not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
