package dev.plumb.scenario.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.scenario.Orphan;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import dev.plumb.unwind.EuStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stacks of {@code plumb stack} against those of elfutils, frame by frame. */
@RequiresRoot
@Timeout(60)
class StackOracleTest {
  private static final int SIGSTOP = 19;
  private static final int SIGCONT = 18;

  @TempDir Path folder;

  /** Programs that spin; they are stopped by a signal, so that both look at the same moment. */
  @ParameterizedTest
  @ValueSource(strings = {"deep", "signal", "threads", "vdso", "syscall", "plt", "jump", "context"})
  void spinning(String kind) throws Exception {
    Path program = withoutFramePointers("chains");
    try (Orphan orphan = Orphan.start(program, kind, "60")) {
      Thread.sleep(200);
      ProcessCalls.tryKill(orphan.pid(), SIGSTOP);
      Orphan.awaitState(orphan.pid(), 'T');
      StackJson stacks = agrees(orphan.pid());
      assertThat(stacks.threads()).hasSize(kind.equals("threads") ? 5 : 1);
      assertThat(stacks.threads().values()).allMatch(t -> t.state().equals("T"));
      Orphan.awaitState(orphan.pid(), 'T'); // again, for it is let go of and stops anew
      ProcessCalls.tryKill(orphan.pid(), SIGCONT);
      Orphan.awaitState(orphan.pid(), kind.equals("threads") ? 'S' : 'R');
    }
  }

  @ParameterizedTest
  @CsvSource({
    "deep, main;begin;(descend;){600}spin",
    "signal, main;begin;take_signal;interrupted_work;on_signal;spin",
    "plt, main;begin;sort;compare;spin",
    "jump, main;begin;jump;spin",
    "context, coroutine;spin"
  })
  void chainsAsTheSourceHasThem(String kind, String chain) throws Exception {
    Path program = withoutFramePointers("chains");
    try (Orphan orphan = Orphan.start(program, kind, "60")) {
      Thread.sleep(200);
      StackJson.Thread thread = StackJson.take(orphan.pid()).threads().get(orphan.pid());
      assertThat(String.join(";", thread.of(program.getFileName().toString())))
          .matches("(_start;)?" + chain);
      assertThat(thread.problem()).isEmpty();
      assertThat(thread.state()).isEqualTo("R");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"read", "signal", "thread", "aligned", "library"})
  void blocked(String way) throws Exception {
    Path program = withoutFramePointers("unwound");
    try (Orphan orphan = Orphan.start(program, "200", way)) {
      assertThat(orphan.line()).isEqualTo("ready");
      for (int task : tasks(orphan.pid())) {
        Orphan.awaitState(task, 'S');
      }
      StackJson stacks = agrees(orphan.pid());
      assertThat(stacks.threads().values())
          .allMatch(StackJson.Thread::hasKernelPart)
          .anyMatch(t -> t.doing().equals("waiting in read") && t.names().contains("vfs_read"));
    }
  }

  @Test
  void cxx() throws Exception {
    Path source = folder.resolve("depths.cc");
    Files.writeString(
        source,
        """
        #include <cstdio>
        #include <functional>
        #include <string>
        #include <unistd.h>
        template <int N> struct Depth {
          [[gnu::noinline]] static int go(const std::function<int(std::string)> &f) {
            std::string s = std::to_string(N);
            return Depth<N - 1>::go([&](std::string t) { return f(s + t) + 1; }) + s.size();
          }
        };
        template <> struct Depth<0> {
          [[gnu::noinline]] static int go(const std::function<int(std::string)> &f) {
            return f("0") + 1;
          }
        };
        int main() {
          return Depth<30>::go([](std::string s) {
            puts("ready"); fflush(stdout); char c; return (int)read(0, &c, 1) + (int)s.size(); });
        }
        """);
    Path program = folder.resolve("depths");
    Programs.run("g++", "-O2", "-fomit-frame-pointer", source + "", "-o", program + "");
    try (Orphan orphan = Orphan.start(program)) {
      assertThat(orphan.line()).isEqualTo("ready");
      Orphan.awaitState(orphan.pid(), 'S');
      StackJson stacks = agrees(orphan.pid());
      assertThat(stacks.threads().get(orphan.pid()).frames()).hasSizeGreaterThan(60);
    }
  }

  /** Each waits in the call it was given, and nothing is missing of its stack. */
  @Test
  void fiftyThreads() throws Exception {
    Path program = withoutFramePointers("stoppable");
    try (Orphan orphan = Orphan.start(program, "many", "50")) {
      assertThat(orphan.line()).isEqualTo("ready");
      Orphan.awaitState(orphan.pid(), 'S');
      long start = System.nanoTime();
      StackJson stacks = agrees(orphan.pid());
      double elapsedMillis = (System.nanoTime() - start) / 1e6;
      assertThat(stacks.threads()).hasSize(50);
      for (String call : List.of("pause", "read", "clock_nanosleep", "futex")) {
        assertThat(stacks.threads().values())
            .filteredOn(t -> t.doing().matches("waiting in (" + call + "|restart_syscall)"))
            .hasSizeGreaterThanOrEqualTo(12);
      }
      assertThat(stacks.threads().values())
          .allMatch(t -> t.names().contains("worker") && t.hasKernelPart());
      assertThat(stacks.stoppedMillis()).isBetween(0.05, Math.min(elapsedMillis, 1000));
      String text = PlumbCommand.run("stack", "" + orphan.pid()).out();
      assertThat(text.lines().toList().getLast())
          .matches(
              "50 threads of process \\d+ \\(stoppable\\); stopped for \\d+\\.\\d\\d ms in all");
      assertThat(text).containsPattern("(?m)^  #\\d+ +worker\\+0x[0-9a-f]+ \\(stoppable\\)");
      assertThat(text).containsPattern("(?m)^\\d+ stoppable \\(S, waiting in pause\\)$");
    }
  }

  private static Path withoutFramePointers(String name) {
    return Programs.compile(
        Path.of("src/test/targets", name + ".c"),
        Path.of("target/targets/stack", name),
        "-fomit-frame-pointer",
        "-momit-leaf-frame-pointer");
  }

  /** Every thread has the frames that elfutils finds, and is whole. */
  private static StackJson agrees(int pid) throws IOException {
    StackJson stacks = StackJson.take(pid);
    Map<Integer, List<String>> theirs = EuStack.of(pid);
    assertThat(stacks.threads().keySet()).isEqualTo(theirs.keySet());
    stacks
        .threads()
        .forEach(
            (tid, thread) -> {
              assertThat(thread.addresses()).as(thread.toString()).isEqualTo(theirs.get(tid));
              assertThat(thread.problem()).isEmpty();
            });
    return stacks;
  }

  private static List<Integer> tasks(int pid) throws IOException {
    try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return tasks.map(task -> Integer.parseInt(task.getFileName().toString())).toList();
    }
  }
}
