package dev.plumb.scenario.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.scenario.Orphan;
import dev.plumb.testing.Installation;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes of all kinds: what can be seen of them, or the one line that says why nothing can. */
@RequiresRoot
@Timeout(60)
class StackTargetTest {
  @TempDir Path folder;
  @TempDir Path home;

  @Test
  void noSuchProcess() {
    fails(1, "no process 99999999; `plumb list processes` lists them", "99999999");
    fails(1, "no process -1", "--", "-1");
    fails(2, "'x' is not an int", "x");
    fails(2, "Missing required parameter: 'PID'");
    fails(1, "plumb cannot stop itself", "" + ProcessCalls.getpid());
  }

  @Test
  void threadsThatWereChosen() {
    try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "many", "5")) {
      assertThat(orphan.line()).isEqualTo("ready");
      List<Integer> all = List.copyOf(StackJson.take(orphan.pid()).threads().keySet());
      assertThat(all).hasSize(5);
      StackJson two = StackJson.take(orphan.pid(), "-t", all.get(1) + "," + all.get(3));
      assertThat(two.threads().keySet()).containsExactly(all.get(1), all.get(3));
      fails(1, "no thread 1 in process " + orphan.pid(), "" + orphan.pid(), "-t", "1");
      fails(
          1,
          "%d is a thread of process %d; use plumb stack %d -t %d"
              .formatted(all.get(2), all.get(0), all.get(0), all.get(2)),
          "" + all.get(2));
    }
  }

  @Test
  void aKernelThread() {
    PlumbCommand.Result result = PlumbCommand.run("stack", "2");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out())
        .contains("2 kthreadd (S, waiting)\n  #0   kthreadd+0x")
        .contains("stopped for 0.00 ms");
  }

  @Test
  void aZombie() {
    try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "zombie")) {
      String child = orphan.line();
      fails(
          1,
          "process %s has ended and has no stack; its parent %d has not collected"
              .formatted(child, orphan.pid()),
          child);
    }
  }

  @Test
  void theFirstThreadHasEnded() throws Exception {
    try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "leader")) {
      assertThat(orphan.line()).isEqualTo("ready");
      Orphan.awaitState(orphan.pid(), 'Z');
      StackJson stacks = StackJson.take(orphan.pid());
      assertThat(stacks.threads()).hasSize(2);
      assertThat(stacks.threads().get(orphan.pid()).doing()).isEqualTo("has ended");
      assertThat(stacks.threads().values())
          .anyMatch(t -> t.of("stoppable").equals(List.of("worker", "wait_somehow")));
    }
  }

  /** Whenever it ends: either there are stacks, or one line. */
  @Test
  void aProcessThatEndsMeanwhile() {
    int seen = 0;
    for (int micros = 0; micros < 12_000; micros += 600) {
      try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "short", "" + micros)) {
        PlumbCommand.Result result = PlumbCommand.run("stack", "" + orphan.pid(), "--json");
        if (result.code() == 0) {
          seen += StackJson.parse(result.out()).threads().isEmpty() ? 0 : 1;
        } else {
          assertThat(result.code()).isEqualTo(1);
          assertThat(result.err())
              .matches("plumb: (no process \\d+; .*|process \\d+ (has )?ended .*)\n");
        }
      }
    }
    assertThat(seen).as("some were in time").isPositive();
  }

  @Test
  void somebodyElseTracesIt() throws Exception {
    try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "many", "2")) {
      assertThat(orphan.line()).isEqualTo("ready");
      Process strace =
          new ProcessBuilder("strace", "-f", "-o", "/dev/null", "-p", "" + orphan.pid())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      try {
        Path status = Path.of("/proc/" + orphan.pid() + "/status");
        for (int i = 0; i < 500 && Files.readString(status).contains("TracerPid:\t0"); i++) {
          Thread.sleep(10);
        }
        fails(
            3,
            "ptrace(PTRACE_SEIZE, %d): EPERM; process %d (strace) already traces it"
                .formatted(orphan.pid(), strace.pid()),
            "" + orphan.pid());
      } finally {
        strace.destroy();
        strace.waitFor();
      }
    }
  }

  @Test
  void withoutTheRights() throws Exception {
    Installation plumb = Installation.in(home);
    List<String> nobody = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
    try (Orphan orphan = Orphan.start(Programs.compiled("stoppable"), "many", "2")) {
      assertThat(orphan.line()).isEqualTo("ready");
      Installation.Result result = plumb.behind(nobody, "stack", "" + orphan.pid());
      assertThat(result.code()).isEqualTo(3);
      PlumbCommand.assertOneLine(
          result.err(), "reading process " + orphan.pid() + " needs CAP_SYS_PTRACE");
    }
    Path program = Files.copy(Programs.compiled("stoppable"), plumb.publicFolder("x").resolve("h"));
    List<String> command = new ArrayList<>(nobody);
    command.addAll(List.of(program.toString(), "many", "2"));
    try (Orphan own = Orphan.start(command)) {
      assertThat(own.line()).isEqualTo("ready");
      Installation.Result result = plumb.behind(nobody, "stack", "" + own.pid());
      boolean open = Files.notExists(Path.of("/proc/sys/kernel/yama/ptrace_scope"));
      Assumptions.assumeTrue(open, "yama lets only parents trace");
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.out())
          .contains("worker+0x", "(S, waiting in pause)")
          .contains("note: kernel stacks are not shown: reading them needs CAP_SYS_ADMIN");
    }
  }

  @Test
  void a32BitProgram() {
    Path program = folder.resolve("narrow");
    Programs.run(
        "gcc", "-m32", "-pthread", "src/test/targets/stoppable.c", "-o", program.toString());
    try (Orphan orphan = Orphan.start(program, "many", "2")) {
      assertThat(orphan.line()).isEqualTo("ready");
      fails(
          3,
          "process %d is a 32-bit program; only 64-bit ones are supported".formatted(orphan.pid()),
          "" + orphan.pid());
    }
  }

  @Test
  void inAPidNamespaceOfItsOwn() {
    List<String> command =
        List.of(
            "unshare",
            "--pid",
            "--fork",
            "--kill-child",
            Programs.compiled("stoppable").toString(),
            "many",
            "2");
    try (Orphan orphan = Orphan.start(command)) {
      assertThat(orphan.line()).isEqualTo("ready");
      int inside =
          (int) ProcessHandle.of(orphan.pid()).orElseThrow().children().toList().get(0).pid();
      StackJson stacks = StackJson.take(inside);
      assertThat(stacks.threads()).hasSize(2);
      assertThat(stacks.threads().get(inside).of("stoppable"))
          .containsExactly("_start", "main", "many", "worker", "wait_somehow");
    }
  }

  @Test
  void pythonAndJava() throws Exception {
    try (Orphan orphan =
        Orphan.start(
            List.of("python3", "-c", "import time; print('ready', flush=True); time.sleep(99)"))) {
      assertThat(orphan.line()).isEqualTo("ready");
      Orphan.awaitState(orphan.pid(), 'S');
      StackJson.Thread thread = StackJson.take(orphan.pid()).threads().get(orphan.pid());
      assertThat(thread.frames()).hasSizeGreaterThan(8);
      assertThat(thread.problem()).isEmpty();
    }
    Path source = folder.resolve("Sleeps.java");
    Files.writeString(
        source,
        "void main() throws Exception { System.out.println(\"ready\"); Thread.sleep(99_000); }");
    String java = System.getProperty("java.home") + "/bin/java";
    try (Orphan orphan = Orphan.start(List.of(java, source.toString()))) {
      assertThat(orphan.line()).isEqualTo("ready");
      StackJson stacks = StackJson.take(orphan.pid());
      assertThat(stacks.threads()).hasSizeGreaterThan(10);
      assertThat(stacks.threads().values())
          .filteredOn(t -> t.frames().stream().anyMatch(f -> f.module().equals("libjvm.so")))
          .hasSizeGreaterThan(8);
    }
  }

  private static void fails(int code, String text, String... args) {
    String[] all = new String[args.length + 1];
    all[0] = "stack";
    System.arraycopy(args, 0, all, 1, args.length);
    PlumbCommand.Result result = PlumbCommand.run(all);
    assertThat(result.code()).as(result.err()).isEqualTo(code);
    PlumbCommand.assertOneLine(result.err(), text);
    assertThat(result.out()).isEmpty();
  }
}
