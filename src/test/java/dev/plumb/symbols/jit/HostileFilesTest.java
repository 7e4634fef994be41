package dev.plumb.symbols.jit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Child;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files are read for a process, and which are not. */
@RequiresRoot
class HostileFilesTest {
  private static final int SOMEBODY = 12345;
  private static final String LINE = "1000 10 name\n";

  private final List<Path> left = new ArrayList<>();
  private final JitSymbols symbols = new JitSymbols(3L << 20);

  @TempDir Path folder;

  @AfterEach
  void tidy() throws IOException {
    symbols.close();
    for (Path file : left) {
      Files.deleteIfExists(file);
    }
  }

  @Test
  void aFileOfTheProcessOrOfRoot() throws IOException {
    try (Child child = sleeper()) {
      Path map = mapOf(child.pid());
      Files.writeString(map, LINE);
      assertThat(name(child.pid())).contains("name");
      assertThat(symbols.problems()).isEmpty();
    }
    try (Child child = somebodysSleeper()) {
      Path map = mapOf(child.pid());
      Files.writeString(map, LINE);
      Files.setAttribute(map, "unix:uid", SOMEBODY);
      assertThat(name(child.pid())).contains("name");
      assertThat(symbols.problems()).isEmpty();
    }
  }

  @Test
  void aFileOfSomebodyElse() throws IOException {
    try (Child child = somebodysSleeper()) {
      Path map = mapOf(child.pid());
      Files.writeString(map, LINE);
      Files.setAttribute(map, "unix:uid", SOMEBODY + 1);
      assertThat(name(child.pid())).isEmpty();
      assertThat(problem()).contains("belongs to user 12346, the process to user 12345");
    }
  }

  @Test
  void aPipeADeviceAFolderALink() throws IOException {
    Path elsewhere = Files.writeString(folder.resolve("elsewhere"), LINE);
    for (String command :
        List.of("mkfifo %s", "mknod %s c 1 5", "mkdir %s", "ln -s " + elsewhere + " %s")) {
      try (Child child = sleeper();
          JitSymbols fresh = new JitSymbols()) {
        Path map = mapOf(child.pid());
        Programs.run("sh", "-c", command.formatted(map));
        long start = System.nanoTime();
        assertThat(fresh.at(Processes.of(child.pid()), 0x1000, Processes.now())).isEmpty();
        assertThat(System.nanoTime() - start).isLessThan(10_000_000_000L);
        assertThat(fresh.problems().toString()).contains(map + " is not a regular file");
      }
    }
  }

  @Test
  void aFileOfAnEarlierProcess() throws IOException {
    try (Child child = sleeper()) {
      Path map = Files.writeString(mapOf(child.pid()), LINE);
      Files.setLastModifiedTime(map, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
      assertThat(name(child.pid())).isEmpty();
      assertThat(problem()).contains("left by another");
    }
  }

  @Test
  void aProcessThatEnded() throws IOException {
    JitProcess process;
    try (Child child = sleeper()) {
      process = Processes.of(child.pid());
      symbols.notice(process);
      assertThat(symbols.functions(process)).isZero();
      Files.writeString(mapOf(child.pid()), LINE);
    }
    await();
    assertThat(symbols.at(process, 0x1000, Long.MAX_VALUE)).as("found by its name").isPresent();
    Files.delete(left.getLast());
    await();
    assertThat(symbols.at(process, 0x1000, Long.MAX_VALUE)).as("held open").isPresent();
  }

  @Test
  void aProcessInItsOwnNamespaces() {
    String script =
        "mount -t tmpfs none /tmp; echo '1000 10 inner' > /tmp/perf-1.map; echo ready; exec sleep 60";
    try (Child child = contained(script)) {
      int pid = innerOf(child);
      assertThat(name(pid)).contains("inner");
      assertThat(Files.exists(Path.of("/tmp/perf-1.map"))).isFalse();
      assertThat(symbols.problems()).isEmpty();
    }
  }

  /** Its folder is a link: one that leads out of its root, by {@code ..} or by its root's path. */
  @Test
  void linksOutOfItsRoot() throws IOException {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("perf-1.map"), "1000 10 outside\n");
    Path root = Files.createDirectory(folder.resolve("root"));
    Files.createDirectory(root.resolve("bin"));
    Files.createDirectory(root.resolve("inside"));
    Files.writeString(root.resolve("inside/perf-1.map"), "1000 10 inside\n");
    Files.copy(Path.of("/bin/busybox"), root.resolve("bin/busybox"));
    String script = "echo ready; exec chroot " + root + " /bin/busybox sleep 60";
    for (String target : List.of("../outside", outside.toString(), "/proc/1/root" + outside)) {
      Programs.run("ln", "-sfn", target, root.resolve("tmp").toString());
      try (Child child = contained(script)) {
        assertThat(name(rootedIn(child, root))).as(target).isEmpty();
      }
    }
    Programs.run("ln", "-sfn", "/inside", root.resolve("tmp").toString());
    try (Child child = contained(script)) {
      assertThat(name(rootedIn(child, root))).contains("inside");
    }
  }

  /** More than may be kept: what was used least lately is read again. */
  @Test
  void manyProcesses() throws IOException {
    StringBuilder lines = new StringBuilder(LINE);
    for (int i = 0; i < 30_000; i++) {
      lines.append(Integer.toHexString(0x10000 + i * 16)).append(" 10 f").append(i).append('\n');
    }
    List<Child> children = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        Child child = sleeper();
        children.add(child);
        Files.writeString(mapOf(child.pid()), lines);
      }
      for (int round = 0; round < 3; round++) {
        for (Child child : children) {
          assertThat(name(child.pid())).contains("name");
          assertThat(symbols.bytes()).isBetween(480_000L, 3L << 20);
        }
      }
    } finally {
      children.forEach(Child::close);
    }
  }

  private Child sleeper() {
    return Child.start("sleep", "60");
  }

  private Child somebodysSleeper() {
    Child child =
        Child.start(
            "setpriv",
            "--reuid=" + SOMEBODY,
            "--clear-groups",
            "sh",
            "-c",
            "echo ready; exec sleep 60");
    assertThat(child.line()).isEqualTo("ready");
    return child;
  }

  private static Child contained(String script) {
    Child child = Child.start("unshare", "-mpf", "--kill-child", "sh", "-c", script);
    assertThat(child.line()).isEqualTo("ready");
    return child;
  }

  private static int innerOf(Child unshare) {
    int pid = unshare.pid();
    return Integer.parseInt(
        Programs.run("cat", "/proc/" + pid + "/task/" + pid + "/children").strip());
  }

  private static int rootedIn(Child unshare, Path root) throws IOException {
    int pid = innerOf(unshare);
    for (int i = 0; i < 500; i++) {
      if (Files.readSymbolicLink(Path.of("/proc/" + pid + "/root")).equals(root)) {
        return pid;
      }
      Programs.run("sleep", "0.01");
    }
    throw new AssertionError("it does not change its root");
  }

  private Path mapOf(int pid) {
    Path map = Path.of("/tmp/perf-" + pid + ".map");
    left.add(map);
    return map;
  }

  private Optional<String> name(int pid) {
    return symbols.at(Processes.of(pid), 0x1005, Processes.now()).map(JitFunction::name);
  }

  private String problem() {
    return symbols.problems().toString();
  }

  /** Until files are looked at again. */
  private static void await() {
    Programs.run("sleep", "1.1");
  }
}
