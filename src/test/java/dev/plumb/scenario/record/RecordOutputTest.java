package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.outcome.ExitCode;
import dev.plumb.testing.Folded;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Installation.Result;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs that cannot be written: said before recording, or it costs nothing but themselves. */
@RequiresRoot
class RecordOutputTest {
  @TempDir static Path home;
  private static Installation plumb;
  private static Path folder;

  @BeforeAll
  static void install() {
    plumb = Installation.in(home);
    folder = plumb.publicFolder("work");
  }

  @Test
  void aFullDiskCostsOneOutputOnly() throws Exception {
    Path small = Files.createDirectories(folder.resolve("small"));
    Path first = folder.resolve("first.folded");
    Path last = folder.resolve("last.pb.gz");
    Path old = folder.resolve("small/old.perf");
    Result result =
        plumb.behind(
            mounted("tmpfs -o size=64k", small, "echo old > " + old),
            "record",
            "-F",
            "4999",
            "-d",
            "1",
            "-o",
            first.toString(),
            "-o",
            small.resolve("x.perf").toString(),
            "-o",
            last.toString(),
            "--",
            Programs.compiled("spinner").toString(),
            "50",
            "1",
            "1");
    assertThat(result.code()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err())
        .contains(
            "plumb: cannot write " + small.resolve("x.perf") + ": the disk is full; free some")
        .contains("wrote " + first)
        .contains("wrote " + last)
        .doesNotContain("Exception");
    assertThat(Folded.read(first).total()).isGreaterThan(1000);
    assertThat(last).isNotEmptyFile();
  }

  @Test
  void everyOutputThatFailsIsTold() throws Exception {
    Path small = Files.createDirectories(folder.resolve("small"));
    Result result =
        plumb.behind(
            mounted("tmpfs -o size=16k", small, "true"),
            "record",
            "--quiet",
            "-F",
            "4999",
            "-d",
            "1",
            "-o",
            small.resolve("x.perf").toString(),
            "-o",
            small.resolve("y.perf").toString(),
            "--",
            Programs.compiled("spinner").toString(),
            "50",
            "1",
            "1");
    assertThat(result.code()).isEqualTo(ExitCode.FAILED);
    assertThat(result.err().lines())
        .hasSize(2)
        .anyMatch(line -> line.contains("x.perf: the disk is full"))
        .anyMatch(line -> line.contains("y.perf: the disk is full"));
  }

  @Test
  void aFolderThatCannotBeWrittenIsSaidBeforeRecording() throws Exception {
    Path readOnly = Files.createDirectories(folder.resolve("read-only"));
    Path touched = folder.resolve("touched");
    Result result =
        plumb.behind(
            mounted("tmpfs -o ro", readOnly, "true"),
            "record",
            "-o",
            readOnly.resolve("x.folded").toString(),
            "--",
            "touch",
            touched.toString());
    assertThat(result.code()).isEqualTo(ExitCode.FAILED);
    PlumbCommand.assertOneLine(result.err(), "cannot write " + readOnly.resolve("x.folded"));
    assertThat(result.err()).contains("choose another place");
    assertThat(touched).as("the command did not run").doesNotExist();
  }

  /** What the launcher sets for the JVM is not for the command. */
  @Test
  void aCommandHasTheUsersEnvironment() {
    String file = folder.resolve("env.folded").toString();
    Result result = plumb.plumb("record", "--quiet", "-o", file, "--", "env");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).contains("PATH=").doesNotContain("MALLOC_");
  }

  @Test
  void anotherUsersFolder() throws Exception {
    Path theirs = Files.createDirectories(folder.resolve("theirs"));
    Result result =
        plumb.behind(
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            "record",
            "-d",
            "1",
            "-o",
            theirs.resolve("x.folded").toString());
    assertThat(result.code()).isEqualTo(ExitCode.FAILED);
    PlumbCommand.assertOneLine(
        result.err(), "permission denied; choose another place or another user");
  }

  /** The number of files we may hold open is no reason to lose a recording. */
  @Test
  void fewDescriptors() throws Exception {
    Path host = Programs.compiled("pluginhost");
    Path libraries = Files.createDirectories(folder.resolve("libraries"));
    Path library =
        Programs.compile(
            Path.of("src/test/targets/plugin.c"),
            libraries.resolve("lib.so"),
            "-shared",
            "-fPIC",
            "-DWORK=work");
    for (int i = 0; i < 150; i++) {
      Files.copy(library, libraries.resolve("lib" + i + ".so"));
    }
    Path file = folder.resolve("few.folded");
    Result result =
        plumb.behind(
            List.of("prlimit", "--nofile=128:128"),
            "record",
            "-F",
            "999",
            "-o",
            file.toString(),
            "--",
            "sh",
            "-c",
            "for l in %s/*.so; do %s $l 5; done".formatted(libraries, host));
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains("too many files to hold open");
    assertThat(Folded.read(file).total()).isGreaterThan(200);
  }

  /** Something breaks in the middle: here, the list of CPUs is gone. */
  @Test
  void aRecordingThatFailsIsWrittenAllTheSame() throws Exception {
    Path file = folder.resolve("failed.folded");
    List<String> command =
        List.of(
            "unshare",
            "-m",
            plumb.launcher().toString(),
            "record",
            "-F",
            "499",
            "-o",
            file.toString(),
            "--",
            Programs.compiled("spinner").toString(),
            "50",
            "1",
            "600");
    try (Installation.Started started = plumb.start(command)) {
      for (int i = 0; i < 3000 && !runs(started, "spinner"); i++) {
        Thread.sleep(10);
      }
      Programs.run(
          "nsenter",
          "-m",
          "-t",
          "" + started.pid(),
          "mount",
          "-t",
          "tmpfs",
          "none",
          "/sys/devices/system/cpu");
      List<ProcessHandle> watched = started.process().children().toList();
      Result result = started.end(60);
      watched.forEach(ProcessHandle::destroyForcibly); // it goes on without us
      assertThat(result.code()).as(result.err()).isEqualTo(ExitCode.FAILED);
      assertThat(result.err())
          .contains("wrote " + file)
          .contains("plumb: open(\"/sys/devices/system/cpu/online\"): ENOENT; mount /sys");
    }
    Folded folded = Folded.read(file);
    assertThat(folded.with("spin_a") + folded.with("spin_b")).isPositive();
  }

  private static boolean runs(Installation.Started started, String program) {
    return started
        .process()
        .children()
        .anyMatch(child -> child.info().command().orElse("").endsWith("/" + program));
  }

  /** Words that mount something in a mount namespace of their own and go on there. */
  private static List<String> mounted(String what, Path where, String then) {
    return List.of(
        "unshare",
        "-m",
        "sh",
        "-c",
        "mount -t %s none %s && %s && exec \"$@\"".formatted(what, where, then),
        "sh");
  }
}
