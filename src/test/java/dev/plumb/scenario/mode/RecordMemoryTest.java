package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.profile.Frame;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Folded;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program that knows what it allocates: every byte of it is found, on the right function. */
@RequiresRoot
class RecordMemoryTest {
  private static final int BLOCKS = 500;
  private static final int THREADS = 8;

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "leak, leaks, 100, 100",
    "half, leaks, 100, 100",
    "calloc, leaks_zeroed, 100, 100",
    "memalign, leaks_memalign, 100, 128",
    "posix_memalign, leaks_aligned, 100, 100",
    "realloc, grows, 3000, 3000",
    "mmap, maps, 8192, 8192",
    "recursive, leaks, 100, 100",
    "leak, leaks, 300000, 300000",
  })
  void whatIsKeptIsFoundToTheByte(String kind, String function, int size, long bytes) {
    Folded folded = record(kind, size);
    assertThat(folded.with(function)).isEqualTo(bytes * BLOCKS * THREADS);
  }

  @ParameterizedTest
  @CsvSource({"free, frees, 100", "half, frees, 100", "realloc, frees, 3000", "unmap, maps, 8192"})
  void whatIsFreedIsNotThere(String kind, String function, int size) {
    Folded folded = record(kind, size);
    assertThat(folded.lines()).as("no rows of nothing").allMatch(line -> line.value() > 0);
    assertThat(folded.with(function)).isZero();
  }

  @Test
  void allThatWasAllocatedIsAnotherColumn() {
    Folded bytes = record("half", 100, "--value", "alloc_space");
    assertThat(bytes.with("leaks")).isEqualTo(100L * BLOCKS * THREADS);
    assertThat(bytes.with("frees")).isEqualTo(100L * BLOCKS * THREADS);
    assertThat(record("half", 100, "--value", "alloc_objects").with("frees"))
        .isEqualTo(BLOCKS * THREADS);
    assertThat(record("half", 100, "--value", "inuse_objects").with("leaks"))
        .isEqualTo(BLOCKS * THREADS);
  }

  /** A block that lives on has an age; one that is freed twice has the stacks of both frees. */
  @Test
  void doubleFreesHaveBothStacks() throws Exception {
    Path file = folder.resolve("out.plumb");
    PlumbCommand.Result result = run(file, "double", 3000, 1);
    assertThat(result.code()).as("the C library aborts").isEqualTo(128 + 6);
    assertThat(result.err()).contains("double free: 1");
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.main();
      int found = 0;
      for (int row = 0; row < profile.rows(); row++) {
        var labels = profile.labels(row).values();
        if ("double free".equals(labels.get("error"))) {
          found++;
          assertThat(functions(profile, row)).contains("free_again", "one");
          assertThat(labels.get("first_free")).contains("free_first").doesNotContain("free_again");
          assertThat(labels.get("allocated")).contains("frees").contains("malloc");
        }
      }
      assertThat(found).isPositive();
      assertThat(profile.labelSets())
          .anySatisfy(labels -> assertThat(labels.values()).containsEntry("age", "under 1 s"));
    }
  }

  @Test
  void aFreeOfWhatWasNeverAllocated() {
    Path file = folder.resolve("out.folded");
    PlumbCommand.Result result = run(file, "invalid", 100, 1, "--value", "bad_frees");
    assertThat(result.err()).contains("invalid free: 1");
    assertThat(Folded.read(file).with("free_again")).isEqualTo(1);
  }

  /** A process that runs already: what it has from before is not known, what it gets is. */
  @Test
  void aRunningProcess() throws Exception {
    Path file = folder.resolve("out.folded");
    Path churner = Programs.compiled("churner");
    try (Programs.Running running = Programs.start(churner, "20000", "64")) {
      Thread.sleep(200);
      PlumbCommand.Result result =
          PlumbCommand.run(
              "record", "mem", "-p", "" + running.pid(), "-d", "2", "-o", file.toString());
      assertThat(result.code()).as(result.err()).isZero();
      long kept = Folded.read(file).with("keeps");
      assertThat(kept).isPositive();
      assertThat(kept % 64).isZero();
      assertThat(Folded.read(file).with("churns")).as("at most one block at a time").isLessThan(65);
    }
  }

  /** What a child frees is its own copy; what its parent has stays. */
  @Test
  void forks() {
    Folded folded = recordForker("free");
    assertThat(folded.with("leaks")).isEqualTo(100L * BLOCKS);
    assertThat(folded.with("child_keeps")).isEqualTo(100L * BLOCKS);
  }

  /** A child of vfork has its parent's memory: what it allocates there its parent may free. */
  @Test
  void vforks() {
    Path file = folder.resolve("out.folded");
    String program = Programs.compiled("vforker").toString();
    PlumbCommand.Result result =
        PlumbCommand.run("record", "mem", "-o", file.toString(), "--", program, "50");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains(" · 0 lost").doesNotContain("free: ");
  }

  /** Threads that end, whose numbers others may get. */
  @Test
  void threadsThatEnd() {
    assertThat(recordForker("threads").with("leaks")).isEqualTo(100L * BLOCKS);
  }

  private Folded recordForker(String kind) {
    Path file = folder.resolve("out.folded");
    String program = Programs.compiled("forkmemory").toString();
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record", "mem", "-o", file.toString(), "--", program, kind, "" + BLOCKS, "100");
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains(" · 0 lost").doesNotContain("free: ");
    return Folded.read(file);
  }

  /** The children that a process gets while it is watched are watched too, within a second. */
  @Test
  void childrenOfARunningProcess() throws Exception {
    Path file = folder.resolve("out.folded");
    try (Programs.Running running =
        Programs.start(Programs.compiled("forkmemory"), "serve", "1", "100")) {
      Thread fork =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      Thread.sleep(1500); // while it is recorded
                      running.process().getOutputStream().write('\n');
                      running.process().getOutputStream().flush();
                    } catch (IOException | InterruptedException e) {
                      throw new AssertionError(e);
                    }
                  });
      PlumbCommand.Result result =
          PlumbCommand.run(
              "record", "mem", "-p", "" + running.pid(), "-d", "4", "-o", file.toString());
      fork.join();
      running.process().descendants().forEach(ProcessHandle::destroyForcibly);
      assertThat(result.code()).as(result.err()).isZero();
      long kept = Folded.read(file).with("child_keeps");
      assertThat(kept).isPositive();
      assertThat(kept % 100).isZero();
    }
  }

  private Folded record(String kind, int size, String... options) {
    Path file = folder.resolve("out.folded");
    record(file, kind, size, THREADS, options);
    return Folded.read(file);
  }

  private void record(Path file, String kind, int size, int threads, String... options) {
    PlumbCommand.Result result = run(file, kind, size, threads, options);
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.err()).contains(" · 0 lost").doesNotContain("free: ");
  }

  private PlumbCommand.Result run(
      Path file, String kind, int size, int threads, String... options) {
    List<String> command = new ArrayList<>(List.of("record", "mem", "-o", file.toString()));
    command.addAll(Arrays.asList(options));
    command.add("--");
    command.add(Programs.compiled("leaker").toString());
    command.addAll(List.of(kind, "" + BLOCKS, "" + size, "" + threads));
    return PlumbCommand.run(command.toArray(String[]::new));
  }

  private static List<String> functions(Profile profile, int row) {
    List<String> names = new ArrayList<>();
    for (int frame : profile.stacks().frameIds(profile.stack(row))) {
      Frame known = profile.stacks().frames().get(frame);
      names.add(known.name());
    }
    return names;
  }
}
