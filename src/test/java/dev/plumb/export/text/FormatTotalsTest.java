package dev.plumb.export.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.export.PerfRun;
import dev.plumb.export.RoundTrip;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.FunctionTotals.By;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.ExternalTools;
import dev.plumb.testing.TestRecordings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same sums whatever the format, for a recording of every kind of frame and for a real one. */
class FormatTotalsTest {
  @ParameterizedTest
  @CsvSource({
    "plumb,cpu", "pprof,cpu", "folded,cpu", "perf-script,cpu",
    "plumb,offcpu", "pprof,offcpu", "folded,offcpu", "perf-script,offcpu"
  })
  void readBackEqualsWhatWasWritten(String format, String mode) throws IOException {
    WriteOptions options = RoundTrip.OPTIONS.withMode(mode);
    try (Recording recording = TestRecordings.varied();
        Recording read = RoundTrip.reread(recording, format, options).recording()) {
      Profile expected = options.profile(recording);
      Profile actual = read.main();
      int expectedType = FoldedWriter.type(expected, options);
      int actualType = FoldedWriter.type(actual, RoundTrip.OPTIONS);
      long divisor = format.equals("folded") ? FoldedWriter.divisor(expected, expectedType) : 1;
      assertThat(actual.total(actualType)).isEqualTo(expected.total(expectedType) / divisor);
      assertSameFunctions(
          FunctionTotals.of(expected, expectedType, By.FUNCTION),
          FunctionTotals.of(actual, actualType, By.FUNCTION),
          divisor);
    }
  }

  /** Division by {@code divisor} moves a remainder from line to line, so sums may differ by one. */
  private static void assertSameFunctions(
      FunctionTotals expected, FunctionTotals actual, long divisor) {
    Map<String, long[]> byName = new HashMap<>();
    add(byName, actual, 0);
    add(byName, expected, 2);
    byName.forEach(
        (name, sums) -> {
          long tolerance = divisor == 1 ? 0 : 200;
          assertThat(sums[0] - sums[2] / divisor)
              .as("self of %s", name)
              .isBetween(-tolerance, tolerance);
        });
  }

  private static void add(Map<String, long[]> byName, FunctionTotals totals, int at) {
    for (FunctionTotals.Entry entry : totals.entries()) {
      // Text formats cannot hold some characters of names, and perf's knows no unnamed frames.
      String name = FoldedWriter.escape(entry.name()).replace(' ', '_');
      String key = name.startsWith("[unknown") ? "[unknown]" : name;
      byName.computeIfAbsent(key, k -> new long[4])[at] += entry.self();
    }
  }

  @Test
  void theTextBlockHasTheSameTotals() throws IOException {
    try (Recording recording = TestRecordings.varied()) {
      String text = new String(RoundTrip.bytes(recording, "txt", RoundTrip.OPTIONS), UTF_8);
      List<List<Long>> sums = countSums(text);
      Profile offcpu = recording.profiles().get(1);
      assertThat(sums)
          .containsExactly(
              List.of(recording.main().total(0)), List.of(offcpu.total(0), offcpu.total(1)));
    }
  }

  /** The columns' sums of each block. */
  private static List<List<Long>> countSums(String text) {
    List<List<Long>> sums = new ArrayList<>();
    boolean counts = false;
    for (String line : text.split("\n")) {
      String[] fields = line.split("\t");
      if (line.startsWith("pid\tusid")) {
        counts = true;
        sums.add(new ArrayList<>(Collections.nCopies(fields.length - 3, 0L)));
      } else if (line.equals("traces:")) {
        counts = false;
      } else if (counts) {
        List<Long> sum = sums.getLast();
        for (int i = 3; i < fields.length; i++) {
          sum.set(i - 3, sum.get(i - 3) + Long.parseLong(fields[i]));
        }
      }
    }
    return sums;
  }

  @Test
  void aRealRecordingOfPerfHasTheSameTotals(@TempDir Path folder) throws Exception {
    String script = PerfRun.script(folder);
    long events = script.lines().filter(line -> line.contains(" cpu-clock:")).count();
    assertThat(events).isGreaterThan(50);
    try (Recording recording =
        Formats.read(new ByteArrayInputStream(script.getBytes(UTF_8))).recording()) {
      Profile profile = recording.main();
      assertThat(profile.mode()).isEqualTo("cpu");
      assertThat(profile.total(0)).isEqualTo(events);
      assertThat(profile.timeline().size()).isEqualTo(events);
      assertThat(FunctionTotals.of(profile, 0, By.FUNCTION).hottestSelf(2))
          .extracting(FunctionTotals.Entry::name)
          .containsExactlyInAnyOrder("burn_a", "burn_b");
      for (String format : List.of("plumb", "pprof", "folded", "perf-script")) {
        try (Recording read = RoundTrip.reread(recording, format, RoundTrip.OPTIONS).recording()) {
          assertThat(read.main().total(0)).as(format).isEqualTo(events);
        }
      }
      String block = new String(RoundTrip.bytes(recording, "txt", RoundTrip.OPTIONS), UTF_8);
      assertThat(countSums(block)).containsExactly(List.of(events));
    }
  }

  @Test
  void infernoFoldsPerfsTextAsPlumbDoes(@TempDir Path folder) throws Exception {
    Path collapse = ExternalTools.need("inferno-collapse-perf");
    Path text = folder.resolve("in.perf");
    Files.writeString(text, PerfRun.script(folder));
    Map<String, Long> theirs = folded(ExternalTools.run(collapse, text));
    try (Recording recording = Formats.read(text).recording()) {
      byte[] ours = RoundTrip.bytes(recording, "folded", RoundTrip.OPTIONS);
      // It sums periods.
      theirs.replaceAll((stack, sum) -> sum / recording.main().period());
      assertThat(folded(new String(ours, UTF_8).replace("_[k]", ""))).isEqualTo(theirs);
      // And it reads Plumb's own.
      Path own = folder.resolve("own.perf");
      Formats.save(recording, own, RoundTrip.OPTIONS);
      Map<String, Long> again = folded(ExternalTools.run(collapse, own));
      again.replaceAll((stack, sum) -> sum / recording.main().period());
      assertThat(again).isEqualTo(theirs);
    }
  }

  /** Stacks to counts; perf's text says nothing of unnamed frames but that they are. */
  private static Map<String, Long> folded(String text) {
    Map<String, Long> counts = new TreeMap<>();
    for (String line : text.split("\n")) {
      int space = line.lastIndexOf(' ');
      String stack = line.substring(0, space).replaceAll("\\[unknown[^;]*", "[unknown]");
      counts.merge(
          stack.replaceAll("(;|^)\\[(?!unknown)[^;]*", "$1[unknown]"),
          Long.parseLong(line.substring(space + 1)),
          Long::sum);
    }
    return counts;
  }
}
