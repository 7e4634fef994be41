package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.cli.run.Interrupts;
import dev.plumb.export.Formats;
import dev.plumb.export.file.Reading;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Child;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Installation.Result;
import dev.plumb.testing.Installation.Started;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever ends a recording, what was taken until then can be read. */
@RequiresRoot
class RecordKeptTest {
  private static final int SIGKILL = 9;
  private static final long SECOND = 1_000_000_000L;

  @TempDir static Path home;
  private static Installation plumb;
  private static Path folder;

  @BeforeAll
  static void install() {
    plumb = Installation.in(home);
    folder = plumb.publicFolder("work");
  }

  @Test
  void whatWasTakenBeforeAKillCanBeRead() throws Exception {
    Path file = folder.resolve("killed.plumb");
    try (Started started = record("cpu", "offcpu", "-F", "499", "-o", file.toString())) {
      awaitFile(file, started);
      Thread.sleep(5_000);
      ProcessCalls.tryKill(started.pid(), SIGKILL);
      started.end(10);
    }
    Reading reading = Formats.read(file);
    try (Recording recording = reading.recording()) {
      assertThat(reading.warnings()).singleElement().asString().contains("cut short");
      // The file is there after its first second; the last second may be missing.
      assertThat(recording.durationNanos()).isGreaterThan(5 * SECOND - SECOND / 2);
      assertThat(recording.profiles()).hasSize(2).allMatch(profile -> profile.rows() > 0);
    }
    Result report = plumb.plumb("report", file.toString());
    assertThat(report.code()).as(report.err()).isZero();
  }

  /** A page cannot be read before it is whole; what it would be made of lies beside it. */
  @Test
  void beforeAPageIsWrittenItsPartsLieBesideIt() throws Exception {
    Path page = folder.resolve("page.html");
    Path parts = folder.resolve("page.html.partial.plumb");
    try (Started started = record("-F", "499", "-o", page.toString())) {
      awaitFile(parts, started);
      assertThat(page).doesNotExist();
      ProcessCalls.tryKill(started.pid(), SIGKILL);
      started.end(10);
    }
    try (Recording recording = Formats.read(parts).recording()) {
      assertThat(recording.main().rows()).isPositive();
    }
    assertThat(plumb.plumb("record", "-d", "1.5", "-o", page.toString()).code()).isZero();
    assertThat(page).exists();
    assertThat(parts).as("nobody needs them any more").doesNotExist();
  }

  @Test
  void aFullDiskCostsOnlyWhatItCannotTake() throws Exception {
    Path small = Files.createDirectory(folder.resolve("small"));
    run("mount", "-t", "tmpfs", "-o", "size=16m", "none", small.toString());
    try {
      Path file = small.resolve("x.plumb");
      try (Started started = record("cpu", "offcpu", "-F", "499", "-o", file.toString())) {
        awaitFile(file, started);
        run("sh", "-c", "cat /dev/zero >'" + small.resolve("filler") + "' || true");
        Thread.sleep(3_000);
        ProcessCalls.tryKill(started.pid(), Interrupts.INT);
        Result result = started.end(30);
        assertThat(result.err()).contains("the disk was full").contains("wrote " + file);
        assertThat(result.out() + result.err())
            .as("each mode's own loss")
            .containsPattern(
                "(?s)lost [^·]*the disk was full \\d.*lost [^·]*the disk was full \\d");
      }
      try (Recording recording = Formats.read(file).recording()) {
        assertThat(recording.main().rows()).isPositive();
      }
    } finally {
      run("umount", small.toString());
    }
  }

  @Test
  void anEmptyRecordingLeavesAFileThatNobodyNamed() throws Exception {
    Path page = Files.writeString(folder.resolve("plumb.html"), "before");
    try (Child sleeper = Child.start("sleep", "60")) {
      String command =
          "cd '%s' && '%s' record -p %d -d 1".formatted(folder, plumb.launcher(), sleeper.pid());
      try (Started started = plumb.start(List.of("sh", "-c", command))) {
        Result result = started.end(30);
        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).contains("nothing was recorded; plumb.html is unchanged");
      }
    }
    assertThat(page).hasContent("before");
  }

  private static Started record(String... args) {
    List<String> command = new ArrayList<>(List.of(plumb.launcher().toString(), "record"));
    command.addAll(List.of(args));
    return plumb.start(command);
  }

  private static void awaitFile(Path file, Started started) throws Exception {
    for (int i = 0; i < 3000 && !Files.exists(file); i++) {
      Thread.sleep(10);
    }
    assertThat(file).as(started.errors()).exists();
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }
}
