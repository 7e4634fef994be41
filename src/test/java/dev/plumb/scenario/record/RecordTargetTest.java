package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Only what was asked for is recorded. */
@RequiresRoot
class RecordTargetTest {
  @TempDir Path folder;

  @Test
  void comm() {
    onlyWanted("--comm", "wanted");
  }

  @Test
  void pid() throws Exception {
    try (Programs.Running wanted = busy("wanted");
        Programs.Running other = busy("other")) {
      assertOnlyWanted(
          PlumbCommand.record(folder, "-F", "499", "-d", "500ms", "-p", "" + wanted.pid()));
    }
  }

  @Test
  void childrenOfAPid() throws Exception {
    Path wanted = compiled("wanted");
    try (Programs.Running shell =
            Programs.start(Path.of("sh"), "-c", "while true; do %s 50; done".formatted(wanted));
        Programs.Running other = busy("other")) {
      assertOnlyWanted(
          PlumbCommand.record(folder, "-F", "499", "-d", "500ms", "-p", "" + shell.pid()));
    }
  }

  @Test
  void tid() throws Exception {
    try (Programs.Running eight = Programs.start(Programs.compiled("eightthreads"), "10")) {
      Thread.sleep(300);
      int tid;
      try (Stream<Path> tasks = Files.list(Path.of("/proc/" + eight.pid() + "/task"))) {
        tid =
            tasks
                .filter(task -> comm(task).equals("eight-3"))
                .mapToInt(task -> Integer.parseInt(task.getFileName().toString()))
                .findFirst()
                .orElseThrow();
      }
      Folded folded = PlumbCommand.record(folder, "-F", "999", "-d", "500ms", "-t", "" + tid);
      assertThat(folded.with("work_3")).isPositive();
      assertThat(
              folded.sum(line -> !line.has("work_3") && line.frames().toString().contains("work_")))
          .isZero();
    }
  }

  private static String comm(Path task) {
    try {
      return Files.readString(task.resolve("comm")).strip();
    } catch (java.io.IOException e) {
      return "";
    }
  }

  @Test
  void processGroup() throws Exception {
    Path wanted = compiled("wanted");
    try (Programs.Running group = Programs.start(Path.of("setsid"), wanted.toString(), "5000");
        Programs.Running other = busy("other")) {
      Thread.sleep(100);
      assertOnlyWanted(
          PlumbCommand.record(folder, "-F", "499", "-d", "500ms", "--pgid", "" + group.pid()));
    }
  }

  @Test
  void pidNamespace() throws Exception {
    Path wanted = compiled("wanted");
    try (Programs.Running unshare =
            Programs.start(
                Path.of("unshare"), "--pid", "--fork", "--kill-child", wanted.toString(), "5000");
        Programs.Running other = busy("other")) {
      Thread.sleep(200);
      long inside = unshare.process().children().findFirst().orElseThrow().pid();
      assertOnlyWanted(
          PlumbCommand.record(folder, "-F", "499", "-d", "500ms", "--pidns", "" + inside));
    }
  }

  @Test
  void cgroupVersion2() throws Exception {
    cgroup("cgroup2", "/child");
  }

  @Test
  void cgroupVersion1() throws Exception {
    cgroup("cgroup", "");
  }

  /** A process in a cgroup below the one that is asked for. */
  private void cgroup(String type, String below) throws Exception {
    List<String> mount =
        Files.readAllLines(Path.of("/proc/mounts")).stream()
            .filter(line -> line.split(" ")[2].equals(type) && !line.contains("cpuset"))
            .filter(line -> type.equals("cgroup2") || line.contains("cpuacct"))
            .toList();
    assumeTrue(!mount.isEmpty(), "no " + type + " is mounted");
    Path parent = Path.of(mount.getFirst().split(" ")[1], "plumb-test");
    Path child = Path.of(parent + below);
    Files.createDirectories(child);
    try (Programs.Running wanted = busy("wanted");
        Programs.Running other = busy("other")) {
      Files.writeString(child.resolve("cgroup.procs"), "" + wanted.pid());
      assertOnlyWanted(
          PlumbCommand.record(folder, "-F", "499", "-d", "500ms", "-g", parent.toString()));
    } finally {
      Thread.sleep(100);
      Files.delete(child);
      Files.deleteIfExists(parent);
    }
  }

  @Test
  void commandIsWatchedFromItsFirstInstructionAndItsCodeIsOurs() {
    Path wanted = compiled("wanted");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            "-F",
            "999",
            "-o",
            folder.resolve("x.folded").toString(),
            "--",
            "sh",
            "-c",
            wanted + " 200; exit 9");
    assertThat(result.code()).isEqualTo(9);
    Folded folded = Folded.read(folder.resolve("x.folded"));
    assertThat(folded.with("wanted_work")).isBetween(150L, 250L);
    assertThat(folded.sum(line -> line.frames().getFirst().equals("java"))).isLessThan(5);
    PlumbCommand.Result killed =
        PlumbCommand.run(
            "record", "-o", folder.resolve("y.folded").toString(), "--", "sh", "-c", "kill -9 $$");
    assertThat(killed.code()).isEqualTo(128 + 9);
  }

  private void onlyWanted(String... filter) {
    try (Programs.Running wanted = busy("wanted");
        Programs.Running other = busy("other")) {
      String[] args =
          Stream.concat(Stream.of("-F", "499", "-d", "500ms"), Stream.of(filter))
              .toArray(String[]::new);
      assertOnlyWanted(PlumbCommand.record(folder, args));
    }
  }

  private static void assertOnlyWanted(Folded folded) {
    assertThat(folded.with("wanted_work")).isGreaterThan(5);
    assertThat(folded.with("other_work")).isZero();
  }

  private Programs.Running busy(String name) {
    return Programs.start(compiled(name), "20000");
  }

  private Path compiled(String name) {
    return Programs.compile(
        Path.of("src/test/targets/busy.c"), folder.resolve(name), "-DWORK=" + name + "_work");
  }
}
