package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.Recorder;
import dev.plumb.collect.mode.LatencyBuckets;
import dev.plumb.collect.options.RecordOptions;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.WaitOptions;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.OwnDisk;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A program that reads and writes past the page cache; {@code /proc/diskstats} is the judge. */
@RequiresRoot
@OnEveryKernel
class RecordBlockTest {
  private static final int REQUESTS = 400;
  private static final int BYTES = 65536;
  private static final int COUNT = 0;
  private static final int SIZE = 1;
  private static final int LATENCY = 2;

  /** Requests and bytes; columns of diskstats: 3 reads, 5 sectors, 7 writes, 9 sectors. */
  private record Done(long reads, long read, long writes, long written) {
    static Done now(String device) throws IOException {
      String line =
          lines()
              .filter(l -> l.contains(" " + device + " "))
              .findFirst()
              .orElseThrow()
              .strip()
              .replaceAll(" +", " ");
      String[] words = line.split(" ");
      return new Done(
          number(words, 3), number(words, 5) * 512, number(words, 7), number(words, 9) * 512);
    }

    static Stream<String> lines() throws IOException {
      return Files.readAllLines(Path.of("/proc/diskstats")).stream();
    }

    private static long number(String[] words, int column) {
      return Long.parseLong(words[column]);
    }
  }

  @Test
  void requestsAreThoseThatTheDiskCounts() throws Exception {
    long bytes = (long) REQUESTS * BYTES;
    RecordOptions options =
        new RecordOptions(
            List.of("block"), all(), 99, StackOptions.DEFAULT, WaitOptions.ALL, 4 << 20);
    try (OwnDisk disk = OwnDisk.make(bytes);
        Recorder recorder = new Recorder(options)) {
      String device = disk.name();
      recorder.start();
      Done before = Done.now(device);
      try (Programs.Running running =
          Programs.start(
              Programs.compiled("directio"), disk.path().toString(), "" + REQUESTS, "" + BYTES)) {
        recorder.runFor(60_000_000_000L, () -> !running.process().isAlive());
        assertThat(running.process().exitValue()).as("needs a disk with O_DIRECT").isZero();
      }
      Done after = Done.now(device);
      recorder.stop();
      try (Recording recording = recorder.finish(Map.of())) {
        Profile profile = recording.main();
        assertThat(profile.quality().lost()).isEmpty();
        for (String direction : List.of("read", "write")) {
          String function = "p" + direction;
          assertThat(sum(profile, SIZE, function, direction, device))
              .as("of %s", rows(profile))
              .isEqualTo(bytes);
          assertThat(sum(profile, COUNT, function, direction, device))
              .isBetween((long) REQUESTS, 4L * REQUESTS);
          assertThat(sum(profile, LATENCY, function, direction, device)).isPositive();
        }
        // The kernel looks at a new disk too: for partitions, and when it is opened.
        assertThat(sum(profile, COUNT, "", "read", device))
            .isEqualTo(after.reads() - before.reads());
        assertThat(sum(profile, SIZE, "", "read", device)).isEqualTo(after.read() - before.read());
        // Before 6.3 the flush of fsync is no request that can be seen, but the disk counts it.
        long writes = after.writes() - before.writes();
        assertThat(sum(profile, COUNT, "", "write", device)).isBetween(writes - 1, writes);
        assertThat(sum(profile, SIZE, "", "write", device))
            .isEqualTo(after.written() - before.written());
        assertThat(profile.labelSets())
            .allSatisfy(labels -> assertThat(labels.values()).containsKey(LatencyBuckets.LABEL));
      }
    }
  }

  private static Target all() {
    return new Target(List.of(), List.of(), "", Optional.empty(), 0, 0, false, false);
  }

  /** All that was found, to see what is wrong. */
  private static String rows(Profile profile) {
    StringBuilder text = new StringBuilder();
    for (int row = 0; row < profile.rows(); row++) {
      text.append(profile.value(row, COUNT)).append(' ').append(profile.labels(row).values());
      text.append(' ').append(profile.thread(row));
      for (int frame : profile.stacks().frameIds(profile.stack(row))) {
        text.append(' ').append(profile.stacks().frames().get(frame).name());
      }
      text.append(System.lineSeparator());
    }
    return text.toString();
  }

  /** By the library's function: pread or pread64, however the stack goes on above it. */
  private static long sum(
      Profile profile, int type, String function, String direction, String device) {
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      Map<String, String> labels = profile.labels(row).values();
      boolean there = function.isEmpty();
      for (int frame : profile.stacks().frameIds(profile.stack(row))) {
        there |= profile.stacks().frames().get(frame).name().startsWith(function);
      }
      if (there
          && labels.get("direction").equals(direction)
          && labels.get("device").equals(device)) {
        sum += profile.value(row, type);
      }
    }
    return sum;
  }
}
