package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads that wait for locks and know how long they did. */
@RequiresRoot
class RecordLockTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "mutex, mutex",
    "rwlock, 'rwlock, to read'",
    "semaphore, semaphore",
    "condition, condition variable"
  })
  void waitsAreFoundOnTheirLock(String kind, String lock) throws Exception {
    Path file = folder.resolve("out.folded");
    double micros = record(file, kind);
    Folded folded = Folded.read(file);
    long waited = folded.sum(l -> l.has("waits_" + kind) && l.leaf().equals("[" + lock + "]"));
    assertThat((double) waited).isCloseTo(micros, withinPercentage(5));
  }

  @Test
  void aLockHasAnAddressAndAHolder() throws Exception {
    Path file = folder.resolve("out.plumb");
    record(file, "mutex");
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      assertThat(profile.labelSets())
          .anySatisfy(
              labels -> {
                Map<String, String> values = labels.values();
                assertThat(values).containsEntry("lock", "mutex").containsKey("address");
                assertThat(values.get("holder")).startsWith("the-holder (");
                assertThat(values.get("released")).contains("releases_mutex").contains("hold");
              });
    }
  }

  /**
   * The thread that was woken next, or that woke the waiter, is another one for most of the time.
   */
  @ParameterizedTest
  @CsvSource({"convoy, normal", "convoy, recursive", "convoy, robust", "convoy, inherit"})
  void theHolderIsWhoHeldIt(String program, String kind) throws Exception {
    Map<String, Long> waited = new HashMap<>();
    String[] own = convoy(Programs.compiled(program), kind, waited);
    long right = waited.getOrDefault("the-holder (" + own[0] + ")", 0L);
    long all = waited.values().stream().mapToLong(Long::longValue).sum();
    assertThat(all / 1e3).isCloseTo(Double.parseDouble(own[1]), withinPercentage(5));
    assertThat((double) right / all).as("%s", waited).isGreaterThan(0.95);
  }

  /** Mutexes of musl do not say whose they are. */
  @Test
  void aHolderThatIsNotSaidIsUnknown() throws Exception {
    Path program = folder.resolve("convoy");
    Programs.run("musl-gcc", "-O1", "-g", "-o", program.toString(), "src/test/targets/convoy.c");
    Map<String, Long> waited = new HashMap<>();
    convoy(program, "normal", waited);
    assertThat(waited).containsOnlyKeys("unknown");
  }

  /** Puts nanoseconds by holder; what the program prints. */
  private String[] convoy(Path program, String kind, Map<String, Long> waited) throws Exception {
    Path file = folder.resolve("out.plumb");
    Path own = folder.resolve("own");
    String command = "exec %s 8 190 %s > %s".formatted(program, kind, own);
    PlumbCommand.Result result =
        PlumbCommand.run("record", "lock", "-o", file.toString(), "--", "sh", "-c", command);
    assertThat(result.code()).as(result.err()).isZero();
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      for (int row = 0; row < profile.rows(); row++) {
        String holder = profile.labels(row).values().get("holder");
        if (holder != null) {
          waited.merge(holder, profile.value(row, 1), Long::sum);
        }
      }
    }
    return Files.readString(own).strip().split(" ");
  }

  @Test
  void shortWaitsCanBeLeftOut() throws Exception {
    Path file = folder.resolve("out.folded");
    record(file, "mutex", "--min-block", "10s");
    assertThat(Folded.read(file).with("waits_mutex")).isZero();
  }

  /** How long it waited by its own clock, in microseconds. */
  private double record(Path file, String kind, String... options) throws Exception {
    Path own = folder.resolve("own");
    String program = Programs.compiled("locker").toString();
    String command = "exec %s %s 10 50 > %s".formatted(program, kind, own);
    String[] all = new String[options.length + 8];
    String[] first = {"record", "lock", "-o", file.toString()};
    String[] last = {"--", "sh", "-c", command};
    System.arraycopy(first, 0, all, 0, 4);
    System.arraycopy(options, 0, all, 4, options.length);
    System.arraycopy(last, 0, all, 4 + options.length, 4);
    PlumbCommand.Result result = PlumbCommand.run(all);
    assertThat(result.code()).as(result.err()).isZero();
    return Double.parseDouble(Files.readString(own).strip());
  }
}
