package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.collect.Modes;
import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A program that reads half of a file that is not in the page cache; {@code mincore(2)} tells what
 * is there afterwards.
 */
@RequiresRoot
class RecordReadaheadTest {
  private static final int PAGES = 5000;

  /** Not in a folder for temporary files, for that may have no disk. */
  private static final Path FILE = Path.of("target/disk/half-read").toAbsolutePath();

  /** What the program says: pages in the cache, and those that it read. */
  private record Truth(long cached, long read) {}

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"1, 1", "4, 4", "250, 250"})
  void whatWasReadAheadIsUsedOrNot(int chunk, int first) throws Exception {
    Truth truth = record("read", chunk);
    try (Recording recording = Formats.read(output()).recording()) {
      Profile profile = recording.main();
      long unused = sum(profile, "unused", "reads_half");
      long used = sum(profile, "used", "reads_half");
      assertThat(unused).isEqualTo(truth.cached() - truth.read()).isPositive();
      assertThat(unused + used)
          .as("all but what reads had to wait for: the first one at least")
          .isEqualTo(sum(profile, "pages", "reads_half"))
          .isBetween(truth.cached() - truth.read(), truth.cached() - first);
      assertThat(profile.quality().lost()).isEmpty();
    }
  }

  /** Of reads of one page, only the first one finds nothing. */
  @OnEveryKernel
  @Test
  void sequentialReadsUseWhatIsReadAhead() throws Exception {
    Truth truth = record("read", 1);
    try (Recording recording = Formats.read(output()).recording()) {
      assertThat(sum(recording.main(), "used", "reads_half")).isEqualTo(truth.read() - 1);
    }
  }

  @Test
  void aFaultReadsAroundItsPage() throws Exception {
    Truth truth = record("map", 1);
    try (Recording recording = Formats.read(output()).recording()) {
      Profile profile = recording.main();
      assertThat(sum(profile, "pages", "touches_page")).isEqualTo(truth.cached() - 1);
      assertThat(sum(profile, "used", "touches_page"))
          .as("mapped with it: 64 KB at most")
          .isBetween(0L, 15L);
    }
  }

  @Test
  void whatAProgramAsksForInAdvanceIsReadAhead() throws Exception {
    Truth truth = record("advise", 5);
    try (Recording recording = Formats.read(output()).recording()) {
      Profile profile = recording.main();
      assertThat(sum(profile, "pages", "advises")).isPositive();
      assertThat(sum(profile, "unused", "advises") + sum(profile, "unused", "reads_half"))
          .isEqualTo(truth.cached() - truth.read());
    }
  }

  @Test
  void noRowSaysNothingAndEachSaysItsFile() throws Exception {
    record("read", 4);
    try (Recording recording = Formats.read(output()).recording()) {
      Profile profile = recording.main();
      assertThat(profile.rows()).isPositive();
      boolean named = false;
      for (int row = 0; row < profile.rows(); row++) {
        assertThat(profile.value(row, profile.type("pages").orElseThrow())).isPositive();
        named |= FILE.toString().equals(profile.labels(row).values().get("file"));
      }
      assertThat(named).isTrue();
    }
  }

  private Path output() {
    return folder.resolve("out.plumb");
  }

  private Truth record(String way, int chunk) throws Exception {
    Modes.of("readahead")
        .problem(KernelTypes.running().kernel())
        .ifPresent(problem -> assumeTrue(false, problem));
    Files.createDirectories(FILE.getParent());
    Path own = folder.resolve("own");
    String command =
        "exec %s %s %d %d %s > %s"
            .formatted(Programs.compiled("halfread"), FILE, PAGES, chunk, way, own);
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record", "readahead", "-o", output().toString(), "--", "sh", "-c", command);
    assertThat(result.code()).as(result.err()).isZero();
    String[] words = Files.readString(own).strip().split(" ");
    return new Truth(Long.parseLong(words[0]), Long.parseLong(words[1]));
  }

  private static long sum(Profile profile, String type, String function) {
    int number = profile.type(type).orElseThrow();
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      boolean there = false;
      for (int frame : profile.stacks().frameIds(profile.stack(row))) {
        there |= profile.stacks().frames().get(frame).name().equals(function);
      }
      sum += there ? profile.value(row, number) : 0;
    }
    return sum;
  }
}
