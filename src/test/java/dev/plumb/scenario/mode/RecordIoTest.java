package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program reads and writes; strace is the judge. */
@RequiresRoot
class RecordIoTest {
  private static final Pattern CALL = Pattern.compile("(\\w+)\\(.*\\)\\s+= (-?\\d+)(?: .*)?");
  private static final Set<String> READING =
      Set.of("read", "pread64", "readv", "recvfrom", "recvmsg", "copy_file_range");
  private static final Set<String> WRITING =
      Set.of("write", "pwrite64", "writev", "sendto", "sendmsg", "sendfile");

  private static final Set<String> SYNCING =
      Set.of("fsync", "fdatasync", "sync_file_range", "syncfs", "msync", "sync");

  /** Calls, bytes and errors. */
  private record Amounts(long calls, long bytes, long errors) {
    Amounts plus(long moreCalls, long moreBytes, long moreErrors) {
      return new Amounts(calls + moreCalls, bytes + moreBytes, errors + moreErrors);
    }
  }

  private static final Amounts NOTHING = new Amounts(0, 0, 0);

  @TempDir Path folder;

  @Test
  void callsBytesAndErrorsAreThoseOfStrace() throws Exception {
    Map<String, Amounts> expected = strace();
    Map<String, Amounts> found = new HashMap<>();
    try (Recording recording = record()) {
      Profile profile = recording.main();
      for (int row = 0; row < profile.rows(); row++) {
        String direction = profile.labels(row).values().get("direction");
        found.put(
            direction,
            found
                .getOrDefault(direction, NOTHING)
                .plus(profile.value(row, 0), profile.value(row, 1), profile.value(row, 3)));
      }
      assertThat(profile.quality().lost()).isEmpty();
    }
    assertThat(found).isEqualTo(expected);
    assertThat(expected.get("read").calls()).as("there was something").isGreaterThan(250);
  }

  @Test
  void eachFileAndFunctionHasItsOwn() throws Exception {
    try (Recording recording = record()) {
      Profile profile = recording.main();
      Path real = folder.toRealPath();
      assertThat(bytes(profile, "file", file -> file.equals(real + "/moved-0")))
          .as("written 50 × 4096, 50 × 100, 25 × 1000")
          .isGreaterThan(50 * 4096);
      assertThat(bytes(profile, "through_pipe", "pipe"::equals)).isEqualTo(2 * 50 * 300);
      assertThat(bytes(profile, "through_socket", "unix socket"::equals))
          .isEqualTo(2 * 50 * (700 + 4000));
      assertThat(bytes(profile, "copies", file -> file.contains("moved-")))
          .isEqualTo(10 * 5000 + 10 * 1000);
    }
  }

  @Test
  void syncsHaveTheirFilesAndTimes() throws Exception {
    try (Recording recording = record()) {
      Profile profile = recording.main();
      String synced = folder.toRealPath() + "/moved-1";
      long calls = 0;
      long nanos = 0;
      for (int row = 0; row < profile.rows(); row++) {
        Map<String, String> labels = profile.labels(row).values();
        if (labels.get("direction").equals("sync") && labels.get("file").equals(synced)) {
          calls += profile.value(row, 0);
          nanos += profile.value(row, 2);
          assertThat(profile.value(row, 1)).as("bytes").isZero();
        }
      }
      assertThat(calls).as("fsync, fdatasync, sync_file_range, syncfs").isEqualTo(7 + 7 + 3 + 1);
      assertThat(nanos).isPositive();
    }
  }

  @Test
  void aTableOfFiles() throws Exception {
    record().close();
    PlumbCommand.Result result =
        PlumbCommand.run(
            "report", folder.resolve("out.plumb").toString(), "--by", "file", "-n", "100");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).contains("unix socket").contains("moved-0").contains("CALLS");
  }

  private Recording record() throws IOException {
    Path file = folder.resolve("out.plumb");
    String program = Programs.compiled("bytemover").toString();
    PlumbCommand.Result result =
        PlumbCommand.run("record", "io", "-o", file.toString(), "--", program, folder.toString());
    assertThat(result.code()).as(result.err()).isZero();
    return Formats.read(file).recording();
  }

  private static long bytes(Profile profile, String function, Predicate<String> files) {
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      boolean there = false;
      for (int frame : profile.stacks().frameIds(profile.stack(row))) {
        there |= profile.stacks().frames().get(frame).name().equals(function);
      }
      if (there && files.test(profile.labels(row).values().get("file"))) {
        sum += profile.value(row, 1);
      }
    }
    return sum;
  }

  private Map<String, Amounts> strace() throws IOException {
    Path log = folder.resolve("strace");
    String program = Programs.compiled("bytemover").toString();
    Programs.run("strace", "-f", "-o", log.toString(), program, folder.toString());
    Map<String, Amounts> sums = new HashMap<>();
    for (String line : Files.readAllLines(log)) {
      Matcher call = CALL.matcher(line);
      if (call.find()) {
        String name = call.group(1);
        String direction =
            READING.contains(name)
                ? "read"
                : WRITING.contains(name) ? "write" : SYNCING.contains(name) ? "sync" : "";
        long result = Long.parseLong(call.group(2));
        if (!direction.isEmpty()) {
          sums.put(
              direction,
              sums.getOrDefault(direction, NOTHING)
                  .plus(1, Math.max(result, 0), result < 0 ? 1 : 0));
        }
      }
    }
    return sums;
  }
}
