package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.scenario.KernelHeaders;
import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What bcc's memleak says of the same program, before Plumb does. Not at the same time: bcc gives
 * its probes a semaphore that is none, and the kernel refuses others in the same place then
 * ("ref_ctr_offset mismatch").
 */
@RequiresRoot
class RecordMemleakTest {
  private static final Path MEMLEAK = Path.of("/usr/sbin/memleak-bpfcc");
  private static final Pattern REPORT = Pattern.compile("\\d+:\\d+:\\d+\\] Top \\d+ stacks");
  private static final Pattern STACK =
      Pattern.compile("(\\d+) bytes in (\\d+) allocations from stack");
  private static final int BLOCKS = 1000;
  private static final int SIZE = 100;

  @TempDir Path folder;

  @Test
  void outstandingBytesAreTheSame() throws Exception {
    assumeTrue(Files.exists(MEMLEAK), MEMLEAK + " is not installed; ./check does that");
    Optional<String> headers = KernelHeaders.find();
    assumeTrue(headers.isPresent(), "no kernel headers are installed; ./check does that");
    Path said = folder.resolve("memleak");
    Path file = folder.resolve("out.folded");
    try (Programs.Running running =
        Programs.start(Programs.compiled("allocrounds"), "" + BLOCKS, "" + SIZE)) {
      ProcessBuilder memleak =
          new ProcessBuilder(MEMLEAK.toString(), "-p", "" + running.pid(), "-o", "0", "1")
              .redirectErrorStream(true)
              .redirectOutput(said.toFile());
      memleak.environment().put(KernelHeaders.NAME, headers.get());
      Process peer = memleak.start();
      try {
        awaitReports(peer, said, 1);
        work(running, 0);
        awaitReports(peer, said, 3); // the first of them may have begun before
      } finally {
        peer.destroy();
        peer.waitFor();
      }
      Thread worker = Thread.ofPlatform().start(() -> work(running, 2500));
      PlumbCommand.Result result =
          PlumbCommand.run(
              "record", "mem", "-p", "" + running.pid(), "-d", "5", "-o", file.toString());
      worker.join();
      assertThat(result.code()).as(result.err()).isZero();
      assertThat(result.err()).contains(" · 0 lost");
    }
    long own = Folded.read(file).lines().stream().mapToLong(Folded.Line::value).sum();
    String[] reports = REPORT.split(Files.readString(said));
    Matcher stack = STACK.matcher(reports[reports.length - 2]); // the last may be cut
    long theirs = 0;
    while (stack.find()) {
      theirs += Long.parseLong(stack.group(1));
    }
    assertThat(theirs).as(reports[reports.length - 2]).isEqualTo((long) BLOCKS * SIZE);
    assertThat(own).isEqualTo(theirs);
  }

  private static void work(Programs.Running running, long afterMillis) {
    try {
      Thread.sleep(afterMillis);
      running.process().getOutputStream().write('\n');
      running.process().getOutputStream().flush();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void awaitReports(Process peer, Path said, int more) throws Exception {
    long wanted = reports(said) + more;
    for (int i = 0; i < 400 && peer.isAlive() && reports(said) < wanted; i++) {
      Thread.sleep(100);
    }
    assertThat(reports(said)).as(Files.readString(said)).isGreaterThanOrEqualTo(wanted);
  }

  private static long reports(Path said) throws IOException {
    return REPORT.matcher(Files.readString(said)).results().count();
  }
}
