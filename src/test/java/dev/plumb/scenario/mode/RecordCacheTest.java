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

/** A program that goes twice through a file, which is not in the page cache the first time. */
@RequiresRoot
class RecordCacheTest {
  private static final int PAGES = 3000;

  /** Not in a folder for temporary files, for that may have no disk. */
  private static final Path FILE = Path.of("target/disk/cached").toAbsolutePath();

  private record Pages(long misses, long hits) {}

  @TempDir Path folder;

  @Test
  void whatIsReadIsMissedOnceAndFoundThen() throws Exception {
    eachPageIsMissedOnceAndFoundThen("read", 250);
    eachRowSaysItsFileAndHow();
  }

  @ParameterizedTest
  @CsvSource({"read, 1", "random, 1"})
  void eachPageIsMissedOnceAndFoundThen(String way, int chunk) throws Exception {
    long seen = record(way, chunk);
    assertThat(pages("goes_cold")).isEqualTo(new Pages(seen, 0));
    assertThat(pages("goes_warm")).isEqualTo(new Pages(0, seen));
  }

  /** The kernel maps what is there around a page that is touched, up to 16 pages at once. */
  @Test
  @OnEveryKernel
  void whatIsMappedIsMissedOnceAndFoundThen() throws Exception {
    long seen = record("map", 1);
    Pages cold = pages("goes_cold");
    assertThat(cold.misses()).isEqualTo(seen);
    assertThat(cold.hits()).as("a fault may find a part there").isLessThan(seen / 20);
    Pages warm = pages("goes_warm");
    assertThat(warm.misses()).isZero();
    assertThat(warm.hits()).as("and the program's own code").isBetween(seen, seen + seen / 20);
  }

  @Test
  void whatWasWrittenIsNotMissed() throws Exception {
    long seen = record("written", 10);
    assertThat(pages("goes_cold")).isEqualTo(new Pages(0, seen));
    assertThat(pages("goes_warm")).isEqualTo(new Pages(0, seen));
  }

  /** Four reads a page: the first one misses it. */
  @Test
  void onlyTheFirstReadOfAPageMissesIt() throws Exception {
    long seen = record("bytes", 1024);
    assertThat(pages("goes_cold").misses()).isEqualTo(seen);
    assertThat(pages("goes_warm").misses()).isZero();
    assertThat(pages("goes_warm").hits()).isBetween(seen, 4 * seen);
  }

  private void eachRowSaysItsFileAndHow() throws Exception {
    try (Recording recording = Formats.read(output()).recording()) {
      Profile profile = recording.main();
      boolean named = false;
      for (int row = 0; row < profile.rows(); row++) {
        assertThat(profile.value(row, 1) + profile.value(row, 2))
            .isPositive()
            .isEqualTo(profile.value(row, 0));
        named |=
            FILE.toString().equals(profile.labels(row).values().get("file"))
                && "read".equals(profile.labels(row).values().get("by"));
      }
      assertThat(named).isTrue();
      assertThat(profile.quality().lost()).isEmpty();
    }
  }

  private Path output() {
    return folder.resolve("out.plumb");
  }

  /** How many pages the program looked at, each time. */
  private long record(String way, int chunk) throws Exception {
    Modes.of("cache")
        .problem(KernelTypes.running().kernel())
        .ifPresent(problem -> assumeTrue(false, problem));
    Files.createDirectories(FILE.getParent());
    Path own = folder.resolve("own");
    String command =
        "exec %s %s %d %d %s > %s"
            .formatted(Programs.compiled("cached"), FILE, PAGES, chunk, way, own);
    PlumbCommand.Result result =
        PlumbCommand.run("record", "cache", "-o", output().toString(), "--", "sh", "-c", command);
    assertThat(result.code()).as(result.err()).isZero();
    String[] words = Files.readString(own).strip().split(" ");
    assertThat(words[0]).isEqualTo(words[1]);
    return Long.parseLong(words[0]);
  }

  /** Of the file: the program's own code is in the page cache too. */
  private Pages pages(String function) throws Exception {
    long misses = 0;
    long hits = 0;
    try (Recording recording = Formats.read(output()).recording()) {
      Profile profile = recording.main();
      for (int row = 0; row < profile.rows(); row++) {
        for (int frame : profile.stacks().frameIds(profile.stack(row))) {
          if (profile.stacks().frames().get(frame).name().equals(function)
              && FILE.toString().equals(profile.labels(row).values().get("file"))) {
            misses += profile.value(row, profile.type("misses").orElseThrow());
            hits += profile.value(row, profile.type("hits").orElseThrow());
          }
        }
      }
    }
    return new Pages(misses, hits);
  }
}
