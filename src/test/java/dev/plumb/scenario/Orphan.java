package dev.plumb.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A program that is not a child of this process but of a shell: the JVM waits for its own children,
 * and the kernel tells those who wait of stops by ptrace too.
 */
public final class Orphan implements AutoCloseable {
  /** Says its pid, then becomes the program. */
  private static final String SCRIPT =
      "exec 3<&0; sh -c 'echo $$; exec \"$@\"' sh \"$@\" <&3 & exec 3<&-; wait";

  private final Process shell;
  private final BufferedReader output;
  private final int pid;

  private Orphan(Process shell) {
    this.shell = shell;
    this.output = shell.inputReader();
    this.pid = Integer.parseInt(line());
  }

  public static Orphan start(Path program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    return start(command);
  }

  /** Its standard input and output are ours to write and read. */
  public static Orphan start(List<String> command) {
    List<String> all = new ArrayList<>(List.of("sh", "-c", SCRIPT, "sh"));
    all.addAll(command);
    try {
      return new Orphan(
          new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.DISCARD).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int pid() {
    return pid;
  }

  /** The next line that it writes. */
  public String line() {
    try {
      String line = output.readLine();
      if (line == null) {
        throw new AssertionError("it ended");
      }
      return line;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Gives it a line to read. */
  public void say(String line) {
    try {
      shell.outputWriter().append(line).append('\n').flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** As /proc has it: S sleeps, T is stopped, Z is a zombie. */
  public static char state(int pid) throws IOException {
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    return stat.charAt(stat.lastIndexOf(')') + 2);
  }

  public static void awaitState(int pid, char state) throws Exception {
    for (int i = 0; state(pid) != state; i++) {
      assertThat(i).as("it is in state " + state(pid)).isLessThan(500);
      Thread.sleep(10);
    }
  }

  @Override
  public void close() {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    shell.descendants().forEach(ProcessHandle::destroyForcibly);
    shell.destroyForcibly();
  }
}
