package dev.plumb.collect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.OnEveryKernel;
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
class BlockCollectorTest {
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
    Path folder = Files.createDirectories(Path.of("target/disk"));
    Path file = folder.toAbsolutePath().resolve("direct-io");
    String device = device(folder);
    RecordOptions options =
        new RecordOptions(
            List.of("block"), all(), 99, StackOptions.DEFAULT, WaitOptions.ALL, 4 << 20);
    try (Recorder recorder = new Recorder(options)) {
      recorder.start();
      Done before = Done.now(device);
      try (Programs.Running running =
          Programs.start(Programs.compiled("direct"), file.toString(), "" + REQUESTS, "" + BYTES)) {
        recorder.runFor(60_000_000_000L, () -> !running.process().isAlive());
        assertThat(running.process().exitValue()).as("needs a disk with O_DIRECT").isZero();
      }
      Done after = Done.now(device);
      recorder.stop();
      try (Recording recording = recorder.finish(Map.of())) {
        Profile profile = recording.main();
        long bytes = (long) REQUESTS * BYTES;
        assertThat(sum(profile, SIZE, "pread", "read", device))
            .as("of %s", rows(profile))
            .isEqualTo(bytes);
        // The file system may put a request off to a thread of the kernel.
        assertThat(sum(profile, SIZE, "pwrite", "write", device)).isBetween(bytes * 9 / 10, bytes);
        assertThat(sum(profile, SIZE, "", "write", device)).isGreaterThanOrEqualTo(bytes);
        assertThat(sum(profile, COUNT, "pread", "read", device))
            .isBetween((long) REQUESTS, 4L * REQUESTS);
        assertThat(sum(profile, LATENCY, "pread", "read", device)).isPositive();

        // Others use the disk too, also when one of us is not looking yet or no more.
        assertThat(sum(profile, COUNT, "", "read", device))
            .isCloseTo(after.reads() - before.reads(), withinPercentage(5));
        assertThat(sum(profile, SIZE, "", "read", device))
            .isCloseTo(after.read() - before.read(), withinPercentage(5));
        assertThat(sum(profile, COUNT, "", "write", device))
            .isCloseTo(after.writes() - before.writes(), withinPercentage(5));
        assertThat(sum(profile, SIZE, "", "write", device))
            .isCloseTo(after.written() - before.written(), withinPercentage(5));
        assertThat(profile.labelSets())
            .allSatisfy(labels -> assertThat(labels.values()).containsKey(Buckets.LABEL));
        assertThat(profile.quality().lost()).isEmpty();
      }
    }
  }

  private static Target all() {
    return new Target(List.of(), List.of(), "", Optional.empty(), 0, 0, false, false);
  }

  /** The disk that a folder is on. */
  private static String device(Path folder) throws IOException {
    String source = Files.getFileStore(folder).name();
    String name = source.replaceFirst(".*/", "");
    assumeTrue(
        source.startsWith("/dev/") && Files.exists(Path.of("/sys/block/" + name)),
        folder + " is not on a whole disk, but on " + source);
    return name;
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
