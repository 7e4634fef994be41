import dev.plumb.export.Format;
import dev.plumb.export.Formats;
import dev.plumb.export.file.WriteOptions;
import dev.plumb.profile.CallTree;
import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.FunctionTotals;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.ValueType;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * How long a recording takes to collect and to write, cold, as at the end of {@code plumb record}.
 *
 * <p>{@code java -cp target/classes bench/ExportBench.java [samples] [stacks] [format …]}; each
 * format is best measured in a run of its own, since the first one pays for the compiler.
 */
class ExportBench {
  private static final long PERIOD = 10_101_010;

  public static void main(String[] arguments) throws IOException {
    int samples = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    int stackCount = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 100_000;
    long begin = System.nanoTime();
    StackTable.Builder table = new StackTable.Builder();
    int[] stacks = stacks(table, stackCount);
    System.out.printf("%,d stacks made in %d ms%n", stackCount, since(begin));
    begin = System.nanoTime();
    Recording recording = collect(table, stacks, samples);
    System.out.printf("%,d samples collected in %d ms%n", samples, since(begin));
    if (arguments.length <= 2) {
      begin = System.nanoTime();
      CallTree tree = CallTree.of(recording.main(), 0, 1);
      System.out.printf("tree of %,d nodes in %d ms%n", tree.size(), since(begin));
      begin = System.nanoTime();
      FunctionTotals.of(recording.main(), 1, FunctionTotals.By.FUNCTION).hottestSelf(10);
      System.out.printf("function totals in %d ms%n", since(begin));
    }
    for (Format format : Formats.all()) {
      if (arguments.length <= 2 || List.of(arguments).contains(format.name())) {
        write(recording, format);
      }
    }
    recording.close();
  }

  private static void write(Recording recording, Format format) throws IOException {
    Path file = Files.createTempFile("plumb-bench-", format.ending());
    for (int round = 0; round < 2; round++) {
      long begin = System.nanoTime();
      long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
      try (OutputStream out = Files.newOutputStream(file)) {
        Formats.write(recording, out, format, WriteOptions.DEFAULT);
      }
      cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
      System.out.printf(
          "%-12s %s %6d ms (%d on the CPU) %,14d bytes%n",
          format.name(),
          round == 0 ? "cold" : "warm",
          since(begin),
          cpu / 1_000_000,
          Files.size(file));
    }
    Files.delete(file);
  }

  private static long since(long begin) {
    return (System.nanoTime() - begin) / 1_000_000;
  }

  private static Recording collect(StackTable.Builder table, int[] stacks, int samples) {
    Random random = new Random(5);
    Profile.Builder builder =
        new Profile.Builder(
            "cpu",
            "process_cpu",
            List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
            1,
            new ValueType("cpu", "nanoseconds"),
            PERIOD);
    int[] threads = new int[64];
    for (int i = 0; i < threads.length; i++) {
      String comm = "worker-" + i / 8;
      threads[i] = builder.thread(new ThreadInfo(i / 8 + 1, i + 1, 1, 0, comm, comm, ""));
    }
    int none = builder.labels(Labels.NONE);
    CompactTimelineBuilder times = CompactTimeline.builder();
    for (int i = 0; i < samples; i++) {
      // A few stacks are hot, most are rare, as in life.
      double skewed = random.nextDouble();
      int at = i < stacks.length ? i : (int) (skewed * skewed * stacks.length);
      int row = builder.row(stacks[at], threads[at % threads.length], none);
      builder.add(row, 0, 1);
      builder.add(row, 1, PERIOD);
      times.append(i * 50_000L, row, i & 1, PERIOD);
    }
    Quality quality = new Quality(samples, Map.of(), Map.of(), Map.of(), 99, 99);
    Profile profile = builder.build(table.build(), times.build(), quality);
    return new Recording(0, samples * 50_000L, List.of(profile), Map.of("host", "bench"));
  }

  /** Call chains of a random program: callees depend on the caller, so prefixes are shared. */
  private static int[] stacks(StackTable.Builder table, int count) {
    Random random = new Random(4);
    int functions = 5_000;
    int[][] frames = new int[functions][2];
    for (int i = 0; i < functions; i++) {
      for (int j = 0; j < 2; j++) {
        String module = "lib" + i % 40 + ".so";
        frames[i][j] =
            table.frame(
                new Frame(
                    "some::name_space::function_" + i,
                    FrameKind.NATIVE,
                    false,
                    true,
                    module,
                    "abcdef" + i % 40,
                    i * 64L + j * 8,
                    j * 8L,
                    "",
                    0));
      }
    }
    int[] stacks = new int[count];
    int[] ids = new int[64];
    for (int i = 0; i < count; i++) {
      int depth = 12 + random.nextInt(36);
      int function = 0;
      for (int level = 0; level < depth; level++) {
        ids[depth - 1 - level] = frames[function][random.nextInt(8) == 0 ? 1 : 0];
        int choice = level < 6 ? random.nextInt(3) : random.nextInt(2);
        function = (function * 31 + choice * 7 + level + 1) % functions;
      }
      stacks[i] = table.stack(ids, depth, StackEnd.WHOLE);
    }
    return stacks;
  }
}
