package dev.plumb.scenario.record;

import dev.plumb.scenario.KernelHeaders;
import dev.plumb.testing.Programs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another profiler at work, until it is interrupted. */
public final class PeerTool implements AutoCloseable {
  /**
   * A shell that starts peers. Plumb watches what its own process starts while it records; what
   * this shell starts it does not, if the shell was there before.
   */
  public static final class Starter implements AutoCloseable {
    private final Path folder;
    private final Process shell;

    public Starter(Path folder) {
      this.folder = folder;
      ProcessBuilder builder = new ProcessBuilder("sh").redirectErrorStream(true);
      builder.environment().put("PYTHONUNBUFFERED", "1");
      KernelHeaders.find().ifPresent(tree -> builder.environment().put(KernelHeaders.NAME, tree));
      try {
        shell = builder.redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Starts one and waits until it has said something that it says when it is attached. */
    public PeerTool start(String ready, String... command) throws Exception {
      Path out = Files.createTempFile(folder, "peer", ".out");
      Path pidFile = out.resolveSibling(out.getFileName() + ".pid");
      // What a shell starts in the background ignores interrupts, unless told otherwise.
      StringBuilder line = new StringBuilder("env --default-signal=INT ");
      List.of(command).forEach(word -> line.append('\'').append(word).append("' "));
      line.append(
          "< /dev/null > %s 2>&1 & echo $! > %s.new; mv %s.new %s%n"
              .formatted(out, pidFile, pidFile, pidFile));
      shell.getOutputStream().write(line.toString().getBytes(StandardCharsets.UTF_8));
      shell.getOutputStream().flush();
      while (!Files.exists(pidFile)) {
        Thread.sleep(20);
      }
      long pid = Long.parseLong(Files.readString(pidFile).strip());
      PeerTool peer = new PeerTool(ProcessHandle.of(pid).orElseThrow(), out);
      peer.await(ready);
      return peer;
    }

    @Override
    public void close() {
      shell.descendants().forEach(ProcessHandle::destroyForcibly);
      shell.destroyForcibly();
    }
  }

  private final ProcessHandle process;
  private final Path out;

  private PeerTool(ProcessHandle process, Path out) {
    this.process = process;
    this.out = out;
  }

  public static boolean has(String command) {
    for (String folder : (System.getenv("PATH") + ":/usr/sbin").split(":")) {
      if (Files.isExecutable(Path.of(folder, command))) {
        return true;
      }
    }
    return false;
  }

  /** Waits until it has written a text. */
  public void await(String text) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (!output().contains(text)) {
      if (!isRunning() || System.nanoTime() > end) {
        close();
        throw new AssertionError("never said " + text + ":\n" + output());
      }
      Thread.sleep(20);
    }
  }

  public String output() {
    try {
      return Files.readString(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Interrupts it as a user would; all that it said. */
  public String interrupt() throws Exception {
    Programs.run("kill", "-INT", "" + process.pid());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (isRunning()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("does not end:\n" + output());
      }
      Thread.sleep(20);
    }
    return output();
  }

  /** The shell may not have noticed its end. */
  private boolean isRunning() {
    try {
      Path status = Path.of("/proc/" + process.pid() + "/status");
      return Files.exists(status) && !Files.readString(status).contains("State:\tZ");
    } catch (IOException e) {
      return false; // it has gone meanwhile
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
