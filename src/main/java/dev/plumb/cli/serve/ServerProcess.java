package dev.plumb.cli.serve;

import dev.plumb.cli.text.Stderr;
import dev.plumb.linux.SchedulingCalls;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The server process, as the recording process sees it. When it exits, it is restarted after a
 * pause that grows; only if it never answered does Plumb give up.
 *
 * <p>Messages go to its standard input, one per line. At {@link #END} it stores what is left in the
 * spool and exits. If the input ends without that message, the recording process was killed, and
 * the server exits at once.
 */
final class ServerProcess implements AutoCloseable {
  /** The main class, for a start without the jar. */
  private static final String PLUMB = "dev.plumb.cli.Plumb";

  /** Samples come. */
  static final String BEGUN = "begun";

  /** The spool has another file. */
  static final String FILE = "file";

  /** Store what is left in the spool, and exit. */
  static final String END = "end";

  /** A file in the spool: the pid and the address of the server. */
  private static final String ANSWERS = "server";

  private static final long FIRST_PAUSE_MILLIS = 200;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;

  /** A server that has run for this long started well. */
  private static final long WELL_NANOS = 60_000_000_000L;

  private static final long LONGEST_END_SECONDS = 60;

  /** The kernel's OOM killer should choose the server before the recording process. */
  private static final String OOM_SCORE = "500";

  private final List<String> command;
  private final Path answered;

  /** The nice value of this process before recording raises it. */
  private final int nice = SchedulingCalls.niceValue();

  private final Thread thread = Thread.ofPlatform().daemon().name("server").unstarted(this::watch);
  private Process process;
  private boolean begun;
  private boolean ending;
  private boolean hasAnswered;
  private volatile boolean givenUp;

  private ServerProcess(List<String> command, Path answered) {
    this.command = command;
    this.answered = answered;
  }

  /**
   * Starts it.
   *
   * @param arguments of {@code plumb serve}
   * @param memoryBytes what it may take
   */
  static ServerProcess start(List<String> arguments, Path spool, long memoryBytes)
      throws IOException {
    Path answered = spool.resolve(ANSWERS);
    List<String> command = new ArrayList<>(jvm(memoryBytes));
    command.add("serve");
    command.addAll(arguments);
    command.add("--spool");
    command.add(spool.toString());
    ServerProcess server = new ServerProcess(command, answered);
    server.spawn();
    server.thread.start();
    return server;
  }

  /** Notes that a server answers, for the recording process and for the next server. */
  static void announce(Path spool, String address) throws IOException {
    Files.writeString(
        spool.resolve(ANSWERS), ProcessHandle.current().pid() + "\n" + address + "\n");
  }

  /** The address of the last server that answered and has not exited in order. */
  static Optional<String> address(Path spool) {
    try {
      List<String> lines = Files.readAllLines(spool.resolve(ANSWERS));
      return lines.size() < 2 ? Optional.empty() : Optional.of(lines.get(1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The server exits in order. */
  static void withdraw(Path spool) throws IOException {
    Files.deleteIfExists(spool.resolve(ANSWERS));
  }

  private static String firstLine(Path file) {
    try {
      List<String> lines = Files.readAllLines(file);
      return lines.isEmpty() ? "" : lines.getFirst();
    } catch (IOException e) {
      return "";
    }
  }

  /** The heap's share. The rest is for the database, the JVM itself and buffers. */
  private static long heapBytes(long memoryBytes) {
    return memoryBytes / 10 * 6;
  }

  static long databaseBytes(long memoryBytes) {
    return memoryBytes / 10 * 3;
  }

  /**
   * Kernel threads that requests run on. A large query occupies one for seconds; with one thread
   * per CPU, two such queries would block all others. With more threads, the kernel divides the
   * CPUs among them.
   */
  private static int carriers() {
    return Math.max(16, 4 * Runtime.getRuntime().availableProcessors());
  }

  /**
   * The options of the launcher, and those of a server. A full heap ends the process at once: after
   * an OutOfMemoryError its state is unknown. Queries are refused long before.
   */
  private static List<String> jvm(long memoryBytes) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "--sun-misc-unsafe-memory-access=allow",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:ArchiveRelocationMode=0",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=15",
            "-XX:-ShrinkHeapInSteps",
            "-XX:TrimNativeHeapInterval=10000",
            // Else each thread keeps a buffer as large as the largest that it ever read or wrote.
            "-Djdk.nio.maxCachedBufferSize=262144",
            // The default is more than a server needs at rest.
            "-XX:InitialHeapSize=48m",
            "-XX:MinHeapSize=16m",
            "-XX:NewSize=8m",
            "-XX:NewRatio=4",
            "-Xmx" + (heapBytes(memoryBytes) >> 20) + "m",
            "-Djdk.virtualThreadScheduler.parallelism=" + carriers()));
    String cache = System.getProperty("plumb.aot", "");
    if (!cache.isEmpty()) {
      words.add("-XX:AOTCache=" + cache);
    }
    String classes = System.getProperty("java.class.path");
    words.addAll(
        classes.endsWith(".jar") && !classes.contains(File.pathSeparator)
            ? List.of("-jar", classes) // its manifest says the rest
            : List.of("--enable-native-access=ALL-UNNAMED", "-cp", classes, PLUMB));
    return words;
  }

  private synchronized void spawn() throws IOException {
    // The server inherits this thread's nice value; queries are less urgent than reading samples.
    SchedulingCalls.trySetNice(nice);
    process =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.INHERIT)
            .redirectError(Redirect.INHERIT)
            .start();
    try {
      Files.writeString(Path.of("/proc/" + process.pid() + "/oom_score_adj"), OOM_SCORE);
    } catch (IOException e) {
      // Then the kernel chooses by size: most likely the same process.
    }
    if (begun) {
      tell(BEGUN);
    }
  }

  /** Restarts the server whenever it exits. */
  private void watch() {
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      long started = System.nanoTime();
      int code = await();
      synchronized (this) {
        hasAnswered |= firstLine(answered).equals(Long.toString(process.pid()));
        if (ending || !hasAnswered) {
          givenUp = true;
          return;
        }
      }
      Stderr.say(
          "the server exited (%s); recording continues, and the server is restarted"
              .formatted(why(code)));
      pause =
          System.nanoTime() - started > WELL_NANOS
              ? FIRST_PAUSE_MILLIS
              : Math.min(pause * 2, LONGEST_PAUSE_MILLIS);
      try {
        Thread.sleep(pause);
        synchronized (this) {
          if (ending) {
            givenUp = true;
            return;
          }
          spawn();
        }
      } catch (IOException e) {
        Stderr.say("cannot start the server: " + e.getMessage());
      } catch (InterruptedException e) {
        return; // nobody does that
      }
    }
  }

  private static String why(int code) {
    return code == 3
        ? "out of memory; raise --memory"
        : code > 128 ? "signal " + (code - 128) : "exit code " + code;
  }

  private int await() {
    Process current;
    synchronized (this) {
      current = process;
    }
    while (true) {
      try {
        return current.waitFor();
      } catch (InterruptedException e) {
        // nobody does that
      }
    }
  }

  /** Whether the server is not restarted any more. */
  boolean hasGivenUp() {
    return givenUp;
  }

  /** Samples come from now on. */
  synchronized void recordingHasBegun() {
    begun = true;
    tell(BEGUN);
  }

  /** The spool has another file. */
  synchronized void poke() {
    tell(FILE);
  }

  private void tell(String line) {
    try {
      OutputStream out = process.getOutputStream();
      out.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
      out.flush();
    } catch (IOException e) {
      // It has exited; the next server looks into the spool by itself.
    }
  }

  /** Has it store what is left, and waits for its end; returns its exit code. */
  int end() throws InterruptedException {
    synchronized (this) {
      ending = true;
      tell(END);
    }
    if (!process.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS)) {
      Stderr.say(
          "the server does not exit and is killed; what is in the spool is stored at the next start");
      process.destroyForcibly();
    }
    return process.waitFor();
  }

  @Override
  public synchronized void close() {
    ending = true;
    process.destroy();
  }
}
