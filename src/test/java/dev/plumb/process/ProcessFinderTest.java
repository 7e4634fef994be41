package dev.plumb.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.SystemCalls;
import dev.plumb.testing.Child;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is older than the first event is read from /proc. */
@RequiresRoot
class ProcessFinderTest {
  private final ProcessTable table = new ProcessTable();
  private final BackingFiles files = new BackingFiles(1000);
  private final ProcessFinder finder = new ProcessFinder(table, files);

  @TempDir Path folder;

  @AfterEach
  void close() {
    finder.close();
    files.close();
  }

  @Test
  void aProcessThatWasThereBefore() throws Exception {
    Path sleep = Files.copy(Path.of("/bin/sleep"), folder.resolve("sleeper"));
    long before = now();
    try (Child child = Child.start(sleep.toString(), "60")) {
      awaitName(child.pid(), "sleeper");
      ProcessImage image = finder.find(child.pid(), now()).orElseThrow();
      assertThat(image.comm()).isEqualTo("sleeper");
      assertThat(image.incomplete()).isFalse();
      assertThat(image.kernelThread()).isFalse();
      assertThat(image.innerPid()).isEqualTo(child.pid());
      assertThat(image.cgroup()).startsWith("/");
      // The kernel tells a start in hundredths of a second.
      assertThat(image.processStart()).isBetween(before - TimeUnit.MILLISECONDS.toNanos(20), now());
      long code = firstExecutable(child.pid(), sleep);
      assertThat(image.mappingAt(code, now()).orElseThrow().file().path())
          .isEqualTo(sleep.toString());
      assertThat(finder.find(child.pid(), now())).as("asked again").containsSame(image);
      assertThat(finder.unreadable()).isZero();
    }
  }

  @Test
  void aProcessThatIsGone() {
    assertThat(finder.find(99_999_999, now())).isEmpty();
    Child child = Child.start("sleep", "60");
    int pid = child.pid();
    child.close();
    assertThat(finder.find(pid, now())).isEmpty();
    assertThat(table.size()).isZero();
  }

  /**
   * Events wait in rings: those of a process that started a moment ago may come after /proc was
   * asked about it. They must not end what /proc told.
   */
  @Test
  void eventsThatComeLateDoNotEndWhatProcTold() throws Exception {
    long before = now();
    try (Child child = Child.start("sleep", "60")) {
      int pid = child.pid();
      awaitName(pid, "sleep");
      ProcessImage image = finder.find(pid, now()).orElseThrow();
      long code = firstExecutable(pid, Path.of("/usr/bin/sleep"));

      table.forked(pid, pid, ProcessCalls.getpid(), ProcessCalls.getpid(), before);
      table.execed(pid, "sleep", before + 1);
      table.forgetEnded(now());

      assertThat(finder.find(pid, now())).containsSame(image);
      assertThat(image.isOver()).isFalse();
      assertThat(image.mappingAt(code, now())).isPresent();
      table.exited(pid, now());
      assertThat(image.isOver()).as("what happens after that counts").isTrue();
    }
  }

  /** The kernel says when it lost events: whatever they told is taken from /proc instead. */
  @Test
  void lostEventsAreMadeUpForFromProc() throws Exception {
    try (Child child = Child.start("sh", "-c", "sleep 0.2; exec sleep 60")) {
      int pid = child.pid();
      awaitName(pid, "sh");
      ProcessImage shell = finder.find(pid, now()).orElseThrow();
      awaitName(pid, "sleep");
      assertThat(finder.find(pid, now())).as("nobody told").containsSame(shell);

      table.lost(now());

      ProcessImage image = finder.find(pid, now()).orElseThrow();
      assertThat(image.comm()).isEqualTo("sleep");
      assertThat(image.mappingAt(firstExecutable(pid, Path.of("/usr/bin/sleep")), now()))
          .isPresent();
      assertThat(shell.isOver()).isTrue();
      assertThat(finder.find(pid, now())).as("asked again").containsSame(image);
    }
  }

  /** An event told of one library; /proc tells of all the others. */
  @Test
  void whatEventsDidNotTellIsFilledIn() throws Exception {
    try (Child child = Child.start("sleep", "60")) {
      awaitName(child.pid(), "sleep");
      long time = now();
      table.mapped(
          child.pid(), new Mapping(0x1000, 0x2000, 0, BackingFile.ofLost("from-event")), time);
      ProcessImage image = finder.find(child.pid(), time).orElseThrow();
      assertThat(image.mappingAt(0x1000, time).orElseThrow().file().name()).isEqualTo("from-event");
      assertThat(image.mappingAt(firstExecutable(child.pid(), Path.of("/usr/bin/sleep")), time))
          .isPresent();
      assertThat(image.incomplete()).isFalse();
    }
  }

  @Test
  void scanningFindsTheProcessesThatAreThere() throws Exception {
    try (Child one = Child.start("sleep", "60");
        Child two = Child.start("sleep", "60")) {
      finder.scanLater(List.of(one.pid()));
      scanAll();
      assertThat(table.imageAt(one.pid(), now())).isPresent();
      assertThat(table.imageAt(two.pid(), now())).as("was not asked for").isEmpty();
      finder.scanLater(List.of());
      scanAll();
      assertThat(table.imageAt(two.pid(), now())).isPresent();
      assertThat(table.imageAt(ProcessCalls.getpid(), now())).isPresent();
    }
  }

  private void scanAll() {
    for (int i = 0; i < 200; i++) {
      finder.scanSome();
    }
  }

  @Test
  void kernelThreadsAreKnownAsSuch() {
    ProcessImage image = finder.find(2, now()).orElseThrow();
    assertThat(image.comm()).isEqualTo("kthreadd");
    assertThat(image.kernelThread()).isTrue();
  }

  @Test
  void aProcessInAPidNamespaceHasAPidInside() throws Exception {
    try (Child unshare =
        Child.start(
            "unshare", "--pid", "--fork", "--kill-child", "sh", "-c", "echo up; sleep 60")) {
      unshare.line();
      int inside =
          (int)
              ProcessHandle.of(unshare.pid())
                  .orElseThrow()
                  .children()
                  .findFirst()
                  .orElseThrow()
                  .pid();
      ProcessImage image = finder.find(inside, now()).orElseThrow();
      assertThat(image.innerPid()).isEqualTo(1);
      assertThat(image.pid()).isEqualTo(inside);
    }
  }

  @Test
  void threadsAreNamedOnceTheyAreAskedFor() throws Exception {
    try (Child child = Child.start(Programs.compiled("eightthreads").toString(), "60")) {
      ProcessImage image = finder.find(child.pid(), now()).orElseThrow();
      int tid = thread(child.pid(), "eight-5");
      assertThat(image.knowsThread(tid)).isFalse();
      finder.nameThread(image, tid);
      assertThat(image.threadName(tid)).isEqualTo("eight-5");
      finder.nameThread(image, 99_999_999);
      assertThat(image.knowsThread(99_999_999)).isFalse();
    }
  }

  private static int thread(int pid, String name) throws Exception {
    for (int i = 0; i < 500; i++) {
      try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
        for (Path task : tasks.toList()) {
          if (Files.readString(task.resolve("comm")).strip().equals(name)) {
            return Integer.parseInt(task.getFileName().toString());
          }
        }
      }
      Thread.sleep(10);
    }
    throw new AssertionError("no thread " + name);
  }

  private static void awaitName(int pid, String name) throws Exception {
    for (int i = 0; i < 500; i++) {
      if (Files.readString(Path.of("/proc/" + pid + "/comm")).strip().equals(name)) {
        return;
      }
      Thread.sleep(10);
    }
    throw new AssertionError(pid + " never became " + name);
  }

  private static long firstExecutable(int pid, Path file) throws Exception {
    return Files.readAllLines(Path.of("/proc/" + pid + "/maps")).stream()
        .filter(line -> line.endsWith(file.toString()) && line.contains("r-xp"))
        .mapToLong(line -> Long.parseLong(line.substring(0, line.indexOf('-')), 16))
        .findFirst()
        .orElseThrow();
  }

  private static long now() {
    return SystemCalls.clockGettime(SystemCalls.CLOCK_MONOTONIC);
  }
}
