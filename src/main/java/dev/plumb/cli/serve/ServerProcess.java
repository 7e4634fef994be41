package dev.plumb.cli.serve;

import dev.plumb.cli.text.Stderr;
import dev.plumb.linux.SystemCalls;
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
 * The process that has the store and answers, as the one that records sees it. When it ends, it is
 * started again, after a pause that grows; only if it could not even begin is that the end of all.
 *
 * <p>What it is told goes to its standard input, a line each. At the last of them it stores what is
 * left in the spool and ends. If that input ends without it, the one that records was killed, and
 * the server ends at once.
 */
final class ServerProcess implements AutoCloseable {
  /** The main class, where there is no jar. */
  private static final String PLUMB = "dev.plumb.cli.Plumb";

  /** Samples come. */
  static final String BEGUN = "begun";

  /** The spool has another file. */
  static final String FILE = "file";

  /** It is to store what is left in the spool, and to end. */
  static final String END = "end";

  /** A file in the spool: the pid and the address of the server. */
  private static final String ANSWERS = "server";

  private static final long FIRST_PAUSE_MILLIS = 200;
  private static final long LONGEST_PAUSE_MILLIS = 30_000;

  /** One that has run for this long began well. */
  private static final long WELL_NANOS = 60_000_000_000L;

  private static final long LONGEST_END_SECONDS = 60;

  /** Sooner than the one that records, the kernel's killer is to take this one. */
  private static final String OOM_SCORE = "500";

  private final List<String> command;
  private final Path answered;

  /** What this process was started with, before recording hurries. */
  private final int nice = SystemCalls.niceValue();

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

  /** Says that a server answers, for the other process and the next one to see. */
  static void announce(Path spool, String address) throws IOException {
    Files.writeString(
        spool.resolve(ANSWERS), ProcessHandle.current().pid() + "\n" + address + "\n");
  }

  /** The address of the server that answered last and has not ended as it should. */
  static Optional<String> address(Path spool) {
    try {
      List<String> lines = Files.readAllLines(spool.resolve(ANSWERS));
      return lines.size() < 2 ? Optional.empty() : Optional.of(lines.get(1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The server ends as it should. */
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

  /** What the heap may take of all. The rest is the database's, the JVM's own and buffers. */
  private static long heapBytes(long memoryBytes) {
    return memoryBytes / 10 * 6;
  }

  static long databaseBytes(long memoryBytes) {
    return memoryBytes / 10 * 3;
  }

  /**
   * Threads of the kernel's that requests run on. A large question keeps one for seconds, in the
   * database or computing, and on as many as there are CPUs, two of them would keep all others
   * waiting. On these the kernel shares the CPUs out.
   */
  private static int carriers() {
    return Math.max(16, 4 * Runtime.getRuntime().availableProcessors());
  }

  /**
   * As the launcher starts it. A heap that is full ends the process, at once and for sure: what
   * goes on after an OutOfMemoryError is anybody's guess. Questions are refused long before.
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
            // What it begins with is more than it needs at rest.
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
    // A process inherits this thread's; questions are not as urgent as reading samples may be now.
    SystemCalls.trySetNice(nice);
    process =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.INHERIT)
            .redirectError(Redirect.INHERIT)
            .start();
    try {
      Files.writeString(Path.of("/proc/" + process.pid() + "/oom_score_adj"), OOM_SCORE);
    } catch (IOException e) {
      // Then the kernel chooses by size, which is most likely the same.
    }
    if (begun) {
      tell(BEGUN);
    }
  }

  /** Starts it again whenever it ends. */
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

  /** Whether it could not begin, so that there is nothing to wait for. */
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
      // It has ended; the next one looks by itself.
    }
  }

  /** Lets it store what is left, and waits for its end; its exit code. */
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
