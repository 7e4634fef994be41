package dev.plumb.scenario.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.Recorder;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.elf.ElfFile;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Recording;
import dev.plumb.symbols.debugfile.BadServer;
import dev.plumb.symbols.debugfile.Debuginfod;
import dev.plumb.symbols.debugfile.DebuginfodServer;
import dev.plumb.symbols.debugfile.DebuginfodSettings;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program whose debug file is on a server only. It is asked when the recording is over. */
@RequiresRoot
class RecordDebuginfodTest {
  private static final String SOURCE =
      """
      static volatile unsigned long sink;
      static __attribute__((noipa)) void far_work(int turns) {
        for (int i = 0; i < turns; i++)
          sink += i;
      }
      int main(void) {
        for (;;)
          far_work(200000);
      }
      """;

  @TempDir Path folder;
  private Path program;
  private Path served;
  private String buildId;

  @BeforeEach
  void make() throws Exception {
    Path source = Files.writeString(folder.resolve("far.c"), SOURCE);
    Path whole =
        Programs.compile(source, folder.resolve("whole"), "-Wl,--build-id=0x" + randomId());
    served = Files.createDirectory(folder.resolve("served"));
    program = folder.resolve("far");
    Programs.run(
        "objcopy", "--only-keep-debug", whole.toString(), served.resolve("far.debug").toString());
    Programs.run("objcopy", "--strip-all", whole.toString(), program.toString());
    try (ElfFile elf = ElfFile.open(program)) {
      buildId = elf.buildId().orElseThrow();
    }
  }

  private static String randomId() {
    return "%016x%016x".formatted(System.nanoTime(), ProcessHandle.current().pid());
  }

  @Test
  void namedByAServer() throws Exception {
    try (DebuginfodServer server = DebuginfodServer.start(served, buildId);
        Recording recording = record(server.url())) {
      assertThat(recording.main().stacks().frames())
          .filteredOn(frame -> frame.name().equals("far_work"))
          .isNotEmpty()
          .allSatisfy(
              frame -> {
                assertThat(frame.file()).endsWith("far.c");
                assertThat(frame.line()).isBetween(3, 4);
              });
      assertThat(named(recording, "[unknown in far+")).isFalse();
      assertThat(recording.facts().get("debuginfod")).startsWith("1 files fetched");
    }
  }

  /** While recording nobody waits for it, and afterwards once. */
  @Test
  void aServerThatHangsCostsItsTimeOnce() throws Exception {
    try (BadServer server = BadServer.start(out -> Thread.sleep(60_000))) {
      long start = System.nanoTime();
      try (Recording recording = record(server.url())) {
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(22));
        assertThat(named(recording, "[unknown in far+")).isTrue();
        assertThat(server.asked()).isEqualTo(1);
        assertThat(recording.facts().get("debuginfod")).contains("not queried again");
      }
    }
  }

  private static boolean named(Recording recording, String start) {
    List<Frame> frames = recording.main().stacks().frames();
    return frames.stream().anyMatch(frame -> frame.name().startsWith(start));
  }

  private Recording record(String url) {
    DebuginfodSettings settings =
        new DebuginfodSettings(
            List.of(url), folder.resolve("cache"), Duration.ofSeconds(2), 1 << 26);
    try (Programs.Running running = Programs.start(program)) {
      RecordOptions options =
          new RecordOptions(
              List.of("cpu"),
              new Target(
                  List.of(running.pid()), List.of(), "", Optional.empty(), 0, 0, false, false),
              499,
              StackOptions.DEFAULT,
              WaitOptions.ALL,
              4 << 20);
      try (Recorder recorder = new Recorder(options)) {
        recorder.useServer(new Debuginfod(settings));
        recorder.start();
        recorder.runFor(TimeUnit.SECONDS.toNanos(1), () -> false);
        recorder.stop();
        return recorder.finish(Map.of());
      }
    }
  }
}
