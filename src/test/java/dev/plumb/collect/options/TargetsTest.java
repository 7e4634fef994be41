package dev.plumb.collect.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.linux.ProcessCalls;
import dev.plumb.testing.Child;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a target's name stands for. */
class TargetsTest {
  @TempDir Path folder;

  @Test
  void aProcessWithItsChildrenAndTheirs() {
    try (Child shell = Child.start("sh", "-c", "sh -c 'sleep 60 & echo up; wait' & wait")) {
      shell.line();
      List<Long> below =
          ProcessHandle.of(shell.pid())
              .orElseThrow()
              .descendants()
              .map(ProcessHandle::pid)
              .toList();
      assertThat(below).hasSize(2);
      List<Integer> all = Targets.withChildren(List.of(shell.pid()));
      assertThat(all).hasSize(3).contains(shell.pid());
      assertThat(all).containsAll(below.stream().map(Long::intValue).toList());
      ProcessHandle.of(shell.pid()).orElseThrow().descendants().forEach(ProcessHandle::destroy);
    }
    assertThat(Targets.withChildren(List.of())).as("nobody is not everybody").isEmpty();
  }

  @Test
  void aProcessThatIsNotThere() {
    for (int pid : new int[] {99_999_999, 0, -5}) {
      assertThatThrownBy(() -> Targets.requireProcess(pid))
          .isInstanceOf(TargetException.class)
          .hasMessageContaining("no process " + pid)
          .hasMessageContaining("plumb list processes");
      assertThatThrownBy(() -> Targets.requireThread(pid))
          .isInstanceOf(TargetException.class)
          .hasMessageContaining("no thread " + pid);
    }
    assertThatCode(() -> Targets.requireProcess(ProcessCalls.getpid())).doesNotThrowAnyException();
  }

  /** /proc has a folder for a thread too, though it does not list it. */
  @Test
  void aThreadIsNoProcess() throws Exception {
    try (Child eight = Child.start(Programs.compiled("eightthreads").toString(), "60")) {
      int tid = otherThread(eight.pid());
      assertThatCode(() -> Targets.requireThread(tid)).doesNotThrowAnyException();
      assertThatThrownBy(() -> Targets.requireProcess(tid))
          .isInstanceOf(TargetException.class)
          .hasMessage(
              "%d is a thread of process %d; use -t %d or -p %d"
                  .formatted(tid, eight.pid(), tid, eight.pid()));
    }
  }

  private static int otherThread(int pid) throws Exception {
    for (int i = 0; i < 500; i++) {
      try (Stream<Path> tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
        Optional<Integer> other =
            tasks
                .map(task -> Integer.parseInt(task.getFileName().toString()))
                .filter(tid -> tid != pid)
                .findFirst();
        if (other.isPresent()) {
          return other.get();
        }
      }
      Thread.sleep(10);
    }
    throw new AssertionError("no thread");
  }

  @Test
  void pidNamespace() throws Exception {
    String link = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
    int inode = (int) Long.parseLong(link.replaceAll("\\D", ""));
    assertThat(Targets.pidNamespace(ProcessCalls.getpid())).isEqualTo(inode);
    assertThatThrownBy(() -> Targets.pidNamespace(99_999_999))
        .isInstanceOf(TargetException.class)
        .hasMessageContaining("run as root");
  }

  @Test
  @RequiresRoot
  void cgroupOfVersion2() throws Exception {
    Path root = mountPoint("cgroup2", "");
    Path child = root.resolve("plumb-targets/child");
    Files.createDirectories(child);
    try {
      CgroupTarget byFolder = Targets.cgroup(child.toString());
      assertThat(byFolder.controller()).as("version 2 has none").isEmpty();
      assertThat(byFolder.level()).isEqualTo(2);
      assertThat(byFolder.id())
          .isEqualTo(((Number) Files.getAttribute(child, "unix:ino")).longValue());
      assertThat(Targets.cgroup("/plumb-targets/child")).isEqualTo(byFolder);
      assertThat(Targets.cgroup("plumb-targets/child/")).isEqualTo(byFolder);
      Path link = Files.createSymbolicLink(folder.resolve("link"), child);
      assertThat(Targets.cgroup(link.toString())).isEqualTo(byFolder);
      assertThat(Targets.cgroup(root.toString()).level()).isZero();
    } finally {
      Files.delete(child);
      Files.delete(child.getParent());
    }
  }

  @Test
  @RequiresRoot
  void cgroupOfVersion1() throws Exception {
    Path root = mountPoint("cgroup", "pids");
    Path child = root.resolve("plumb-targets");
    Files.createDirectories(child);
    try {
      CgroupTarget target = Targets.cgroup(child.toString());
      assertThat(target.controller()).isEqualTo("pids");
      assertThat(target.level()).isEqualTo(1);
      assertThat(target.id())
          .isEqualTo(((Number) Files.getAttribute(child, "unix:ino")).longValue());
    } finally {
      Files.delete(child);
    }
  }

  @Test
  void aCgroupThatIsNotThere() {
    for (String name : new String[] {"/no/such", "nothing", "../../../etc", folder.toString()}) {
      assertThatThrownBy(() -> Targets.cgroup(name))
          .isInstanceOf(TargetException.class)
          .hasMessageStartingWith("no cgroup " + name + "; ")
          .hasMessageContaining("/sys/fs/cgroup");
    }
  }

  private static Path mountPoint(String type, String option) throws Exception {
    Optional<Path> found =
        Files.readAllLines(Path.of("/proc/mounts")).stream()
            .map(line -> line.split(" "))
            .filter(words -> words[2].equals(type) && words[3].contains(option))
            .map(words -> Path.of(words[1]))
            .findFirst();
    assumeTrue(found.isPresent(), "no " + type + " " + option + " is mounted");
    return found.get();
  }
}
