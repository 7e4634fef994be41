package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.testing.Jvm;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that Plumb runs: what they inherit, what they must not, and how they end. */
class ChildProcessTest {
  private static final int F_SETFD = 2;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 255})
  void exitCodeIsTheCommands(int code) throws Exception {
    assertThat(end(shell("exit " + code))).isEqualTo(code);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 9, 11, 13, 15})
  void aSignalIs128AndItsNumber(int signal) throws Exception {
    assertThat(end(shell("ulimit -c 0; kill -%d $$; sleep 60".formatted(signal))))
        .isEqualTo(128 + signal);
  }

  @Test
  void exitCodeIsEmptyWhileItRuns() throws Exception {
    ChildProcess child = ChildProcess.start(List.of("sleep", "60"));
    assertThat(child.exitCode()).isEmpty();
    assertThat(ProcessCalls.tryKill(child.pid(), 9)).isZero();
    assertThat(end(child)).isEqualTo(128 + 9);
    assertThat(child.exitCode()).as("asked again").hasValue(128 + 9);
  }

  @Test
  void whatCannotBeStartedSaysSo() throws Exception {
    assertThatThrownBy(() -> ChildProcess.start(List.of("no-such-command", "x")))
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessage("posix_spawnp(no-such-command): ENOENT; no such command; is it on PATH?");
    Path plain = Files.writeString(folder.resolve("plain"), "text");
    assertThatThrownBy(() -> ChildProcess.start(List.of(plain.toString())))
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EACCES));
  }

  @Test
  void argumentsArriveAsTheyAre() throws Exception {
    Path out = folder.resolve("out");
    assertThat(
            end(
                ChildProcess.start(
                    List.of("sh", "-c", "printf '%s|' \"$@\" > " + out, "sh", "a b", "", "é\n"))))
        .isZero();
    assertThat(out).hasContent("a b||é\n|");
  }

  @Test
  void environmentIsOurs() throws Exception {
    Path out = folder.resolve("out");
    assertThat(end(shell("printf '%s' \"$PATH\" > " + out))).isZero();
    assertThat(out).hasContent(System.getenv("PATH"));
  }

  @Test
  void descriptorsBeyondTheStandardOnesAreNot() throws Exception {
    try (Fd fd = SystemCalls.open("/dev/null", SystemCalls.O_RDONLY)) {
      assertThat(SystemCalls.tryFcntl(fd.number(), F_SETFD, 0)).as("not close-on-exec").isZero();
      ChildProcess child = ChildProcess.start(List.of("sleep", "60"));
      try (Stream<Path> open = Files.list(Path.of("/proc/" + child.pid() + "/fd"))) {
        assertThat(open.map(path -> path.getFileName().toString()))
            .containsExactlyInAnyOrder("0", "1", "2");
      } finally {
        ProcessCalls.tryKill(child.pid(), 9);
        end(child);
      }
    }
  }

  @Test
  void standardStreamsAreOurs() throws Exception {
    Result result = spawn("sh", "-c", "read line; echo \"out $line\"; echo err >&2; exit 3");
    assertThat(result.out()).isEqualTo("out hello\n");
    assertThat(result.err()).isEqualTo("err\n");
    assertThat(result.code()).isEqualTo(3);
  }

  /** The JVM ignores SIGPIPE and blocks nothing; whoever started it may ignore more. */
  @Test
  void signalsAreDefaultWhateverWeIgnore() throws Exception {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "trap '' INT PIPE HUP; exec \"$@\"", "sh"));
    command.addAll(Jvm.command(Spawner.class, ChildProcess.class));
    command.addAll(List.of("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"));
    Result result = run(command);
    assertThat(result.out()).isEqualTo("SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
  }

  @Test
  void aBrokenPipeEndsTheChildQuietly() throws Exception {
    Result result = spawn("sh", "-c", "yes | head -n 1");
    assertThat(result.out()).isEqualTo("y\n");
    assertThat(result.err()).as("yes would complain if SIGPIPE were ignored").isEmpty();
  }

  /** Where SIGCHLD is ignored, the kernel throws exit codes away. */
  @Test
  void exitCodeIsKnownEvenIfSigchldWasIgnored() throws Exception {
    List<String> command = new ArrayList<>(List.of("env", "--ignore-signal=CHLD"));
    command.addAll(Jvm.command(Spawner.class, ChildProcess.class));
    command.addAll(List.of("sh", "-c", "exit 7"));
    assertThat(run(command).code()).isEqualTo(7);
  }

  private static ChildProcess shell(String script) {
    return ChildProcess.start(List.of("sh", "-c", script));
  }

  private static int end(ChildProcess child) throws InterruptedException {
    for (int i = 0; i < 6000 && child.exitCode().isEmpty(); i++) {
      Thread.sleep(5);
    }
    return child.exitCode().orElseThrow();
  }

  private record Result(int code, String out, String err) {}

  private Result spawn(String... words) throws Exception {
    List<String> command = new ArrayList<>(Jvm.command(Spawner.class, ChildProcess.class));
    command.addAll(List.of(words));
    return run(command);
  }

  private Result run(List<String> command) throws Exception {
    Path in = Files.writeString(folder.resolve("in"), "hello\n");
    Path out = folder.resolve("stdout");
    Path err = folder.resolve("stderr");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Result(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
