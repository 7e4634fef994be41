package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that see other files than we do. Their debug files lie among their files, and when the
 * recording ends both the process and its files are gone.
 */
@RequiresRoot
class RecordContainerTest {
  private static final String LIBRARY =
      """
      static volatile unsigned long sink;
      static __attribute__((noinline)) void inner_work(int turns) {
        for (int i = 0; i < turns; i++)
          sink += i;
      }
      void work(int turns) { inner_work(turns); }
      """;

  private static final String PROGRAM =
      """
      void work(int turns);
      static __attribute__((noinline)) void outer_work(void) { work(200000); }
      int main(void) {
        for (;;)
          outer_work();
      }
      """;

  @TempDir Path folder;
  private Path root;

  /**
   * A folder with a program that has a link to its debug file, and a library whose debug file is
   * found by build id.
   */
  @BeforeEach
  void makeRoot() throws IOException {
    root = Files.createDirectory(folder.resolve("root"));
    for (String name :
        new String[] {"opt", "lib64", "old", "usr/lib/debug", "lib/x86_64-linux-gnu"}) {
      Files.createDirectories(root.resolve(name));
    }
    Path library =
        compiled(
            "libwork.so", LIBRARY, "-shared", "-fPIC", "-Wl,--build-id=sha1,-soname,libwork.so");
    Path program =
        compiled("program", PROGRAM, "-Wl,--no-as-needed,-rpath,/opt", library.toString());
    String id =
        Programs.run("readelf", "-n", library.toString())
            .replaceAll("(?s).*Build ID: ([0-9a-f]+).*", "$1");
    Path debug =
        root.resolve("usr/lib/debug/.build-id/" + id.substring(0, 2))
            .resolve(id.substring(2) + ".debug");
    Files.createDirectories(debug.getParent());
    Programs.run("objcopy", "--only-keep-debug", library.toString(), debug.toString());
    Programs.run(
        "objcopy", "--strip-all", library.toString(), root.resolve("opt/libwork.so").toString());
    Path link = root.resolve("opt/program.debug");
    Programs.run("objcopy", "--only-keep-debug", program.toString(), link.toString());
    Programs.run(
        "objcopy",
        "--strip-all",
        "--add-gnu-debuglink=" + link,
        program.toString(),
        root.resolve("opt/program").toString());
    copy("/lib64/ld-linux-x86-64.so.2");
    copy("/lib/x86_64-linux-gnu/libc.so.6");
    Files.copy(Path.of("/bin/busybox"), root.resolve("opt/busybox"));
  }

  private Path compiled(String name, String source, String... options) throws IOException {
    Path file = folder.resolve(name + ".c");
    Files.writeString(file, source);
    return Programs.compile(file, folder.resolve(name), options);
  }

  private void copy(String file) throws IOException {
    Files.copy(Path.of(file).toRealPath(), root.resolve(file.substring(1)));
  }

  /** It runs before the recording begins: what is mapped is read from /proc. */
  @Test
  void namedInNamespacesOfItsOwn() throws Exception {
    String pivot =
        "mount --bind %s %s && cd %s && pivot_root . old && /opt/busybox umount -l /old && "
                .formatted(root, root, root)
            + "exec /opt/program";
    try (Programs.Running container = inNamespaces("sh", "-c", pivot)) {
      check(container, true);
    }
  }

  /** It begins when the recording has: what is mapped is told by events. */
  @Test
  void namedBelowAFolder() throws Exception {
    try (Programs.Running container =
        Programs.start(
            Path.of("/bin/sh"), "-c", "sleep 0.7; exec chroot " + root + " /opt/program")) {
      check(container, false);
    }
  }

  /** chroot's processes have their host's namespace, and their maps show its paths. */
  @Test
  void namedBelowAFolderIfItRanBefore() throws Exception {
    try (Programs.Running container =
        Programs.start(Path.of("/usr/sbin/chroot"), root.toString(), "/opt/program")) {
      check(container, true);
    }
  }

  /** Links that lead out of its root to the very files, and a pipe that nobody writes to. */
  @Test
  @Timeout(60)
  void whatLiesOutsideIsNotItsOwn() throws Exception {
    Path link = root.resolve("opt/program.debug");
    Path outside = Files.move(link, folder.resolve("outside.debug"));
    Files.createSymbolicLink(link, outside);
    Files.createDirectories(root.resolve("opt/.debug"));
    Files.createSymbolicLink(
        root.resolve("opt/.debug/program.debug"), Path.of("../../../outside.debug"));
    Files.createDirectories(root.resolve("usr/lib/debug/opt"));
    Programs.run("mkfifo", root.resolve("usr/lib/debug/opt/program.debug").toString());
    try (Programs.Running container =
        Programs.start(Path.of("/usr/sbin/chroot"), root.toString(), "/opt/program")) {
      TimeUnit.MILLISECONDS.sleep(300);
      List<Frame> frames = record(container, container.pid());
      assertThat(lines(frames, "inner_work")).as("has its own").isNotEmpty();
      assertThat(lines(frames, "outer_work")).isEmpty();
      assertThat(frames).anyMatch(frame -> frame.name().startsWith("[unknown in program+"));
    }
  }

  private static Programs.Running inNamespaces(String... command) {
    return Programs.start(
        Path.of("/usr/bin/unshare"),
        Stream.concat(
                Stream.of("--user", "-r", "--mount", "--pid", "--fork", "--kill-child"),
                Stream.of(command))
            .toArray(String[]::new));
  }

  private void check(Programs.Running container, boolean before) throws Exception {
    int pid = container.pid();
    if (before) {
      TimeUnit.MILLISECONDS.sleep(300);
      assertThat(container.process().isAlive()).isTrue();
      Optional<ProcessHandle> child = container.process().children().findFirst();
      pid = child.map(c -> (int) c.pid()).orElse(pid);
    }
    List<Frame> frames = record(container, pid);
    List<String> ofThem =
        frames.stream()
            .filter(frame -> frame.module().matches("libwork.so|program"))
            .map(Frame::toString)
            .toList();
    assertThat(lines(frames, "inner_work"))
        .as("of %s", ofThem)
        .isNotEmpty()
        .isSubsetOf("libwork.so.c:3", "libwork.so.c:4");
    assertThat(lines(frames, "outer_work"))
        .as("of %s", ofThem)
        .isNotEmpty()
        .containsOnly("program.c:2");
  }

  /** Before the recording is over, the process ends and its files are removed. */
  private List<Frame> record(Programs.Running container, int pid) {
    Target target = new Target(List.of(pid), List.of(), "", Optional.empty(), 0, 0, false, false);
    RecordOptions options =
        new RecordOptions(
            List.of("cpu"), target, 499, StackOptions.DEFAULT, WaitOptions.ALL, 4 << 20);
    try (Recorder recorder = new Recorder(options)) {
      recorder.start();
      recorder.runFor(TimeUnit.SECONDS.toNanos(20), () -> recorder.sampleCount() > 200);
      recorder.runFor(TimeUnit.MILLISECONDS.toNanos(500), () -> false);
      container.close();
      Programs.run("rm", "-r", root.toString());
      recorder.runFor(TimeUnit.MILLISECONDS.toNanos(200), () -> false);
      recorder.stop();
      try (Recording recording = recorder.finish(Map.of())) {
        return List.copyOf(recording.main().stacks().frames());
      }
    }
  }

  private static List<String> lines(List<Frame> frames, String function) {
    return frames.stream()
        .filter(frame -> frame.name().equals(function))
        .map(frame -> Path.of(frame.file()).getFileName() + ":" + frame.line())
        .distinct()
        .toList();
  }
}
