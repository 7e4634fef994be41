package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.scenario.ProfileSums;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program that opens pipes, each of which takes the same memory of the kernel. */
@RequiresRoot
class RecordKernelMemoryTest {
  private static final int PIPES = 400;

  @TempDir Path folder;

  /** Lets the program do its work while it is recorded. */
  private Path record(Programs.Running running, int times, String... mode) throws Exception {
    Path file = folder.resolve("out.plumb");
    Thread writer =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int i = 0; i < times; i++) {
                      Thread.sleep(i == 0 ? 2500 : 200);
                      running.process().getOutputStream().write('\n');
                      running.process().getOutputStream().flush();
                    }
                  } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                  }
                });
    List<String> command = new ArrayList<>(List.of("record"));
    command.addAll(List.of(mode));
    command.addAll(List.of("-p", "" + running.pid(), "-d", "4", "-o", file.toString()));
    PlumbCommand.Result result = PlumbCommand.run(command.toArray(String[]::new));
    writer.join();
    assertThat(result.code()).as(result.err()).isZero();
    // An interrupt anywhere may allocate while a program of ours is at work; nothing else is lost.
    assertThat(result.err()).doesNotContain("too many").doesNotContain("full");
    return file;
  }

  /**
   * A pipe has two files, an inode, a name and what it is made of; each of them is an object, and
   * there are as many for each pipe.
   */
  @Test
  void everyPipeIsTheSame() throws Exception {
    try (Programs.Running running = Programs.start(Programs.compiled("pipeopener"), "" + PIPES)) {
      Path file = record(running, 1, "mem", "-k");
      long[] all = ProfileSums.sums(file, "");
      double each = (double) all[2] / PIPES;
      assertThat(each).as("objects in use a pipe").isBetween(4.0, 15.0);
      // And some more for new slabs, and for the table of open files.
      assertThat(each - Math.floor(each)).as("a whole number").isLessThan(0.35);
      assertThat((double) all[3] / PIPES).as("bytes").isBetween(1000.0, 6000.0);
      assertThat(all[0] / 2.0 / PIPES).as("kept and dropped").isCloseTo(each, within(0.3));
      // The first stacks may lack a function, until the program's table is there.
      assertThat(ProfileSums.sums(file, "keeps_pipes")[2]).isGreaterThan(all[2] / 3);
      assertThat(ProfileSums.sums(file, "drops_pipes")[2]).as("in use").isLessThan(PIPES / 10);
      assertThat(ProfileSums.sums(file, "drops_pipes")[0])
          .as("allocated")
          .isGreaterThan(all[0] / 3);
    }
  }

  /** The same by bpftrace, which looks at the same time. */
  @Test
  void asBpftraceCounts() throws Exception {
    assumeTrue(bpftrace().isPresent(), "bpftrace is not installed; ./check does that");
    try (Programs.Running running = Programs.start(Programs.compiled("pipeopener"), "" + PIPES)) {
      Path counts = folder.resolve("counts");
      String filter = " /pid == " + running.pid() + "/ ";
      String script =
          "tracepoint:kmem:kmalloc"
              + filter
              + "{ @objects = count(); @bytes = sum(args->bytes_alloc); } "
              + "tracepoint:kmem:kmem_cache_alloc"
              + filter
              + "{ @objects = count(); @bytes = sum(args->bytes_alloc); } "
              + "tracepoint:kmem:mm_page_alloc"
              + filter
              + "{ @pages = sum(1 << args->order); }";
      Process peer =
          new ProcessBuilder(bpftrace().get().toString(), "-e", script)
              .redirectErrorStream(true)
              .redirectOutput(counts.toFile())
              .start();
      Path file;
      try {
        for (int i = 0; i < 100 && !Files.readString(counts).contains("Attach"); i++) {
          Thread.sleep(100);
        }
        Thread.sleep(500);
        file = record(running, 3, "kmem");
      } finally {
        Programs.run("kill", "-INT", "" + peer.pid()); // then it prints
        peer.waitFor(20, TimeUnit.SECONDS);
        peer.destroyForcibly();
      }
      String said = Files.readString(counts);
      long[] all = ProfileSums.sums(file, "");
      assertThat(all[0]).as(said).isGreaterThan(3L * 2 * PIPES * 5);
      assertThat((double) all[0]).as(said).isCloseTo(number(said, "objects"), near(all[0]));
      assertThat((double) all[1]).as(said).isCloseTo(number(said, "bytes"), near(all[1]));
    }
  }

  private static org.assertj.core.data.Offset<Double> near(long value) {
    return within(value * 0.02);
  }

  private static double number(String text, String name) {
    Matcher matcher = Pattern.compile("@" + name + ": (\\d+)").matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return Double.parseDouble(matcher.group(1));
  }

  private static Optional<Path> bpftrace() {
    return Optional.of(Path.of("/usr/bin/bpftrace")).filter(Files::isExecutable);
  }
}
