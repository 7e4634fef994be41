import dev.plumb.profile.CompactTimeline;
import dev.plumb.profile.CompactTimelineBuilder;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.Labels;
import dev.plumb.profile.Profile;
import dev.plumb.profile.ProfileType;
import dev.plumb.profile.Quality;
import dev.plumb.profile.Recording;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.profile.Timeline;
import dev.plumb.profile.ValueType;
import dev.plumb.store.History;
import dev.plumb.store.Selection;
import dev.plumb.store.Selector;
import dev.plumb.store.StoreOptions;
import dev.plumb.store.TimeRange;
import dev.plumb.store.engine.Store;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Measures what a store costs: {@code write machine|push FOLDER HOURS}, then {@code read machine|push FOLDER
 * HOURS} in a process of its own. See {@code bench/store}.
 */
class StoreBench {
  private static final long SECOND = 1_000_000_000;
  private static final long START = 1_760_000_400L / 3600 * 3600 * SECOND;
  private static final long PERIOD = 10_101_010;
  private static final int SERVICES = 30;
  private static final int CPUS = 8;
  private static final int PROCESSES = 60;
  private static final int STACKS_PER_PROCESS = 1600;

  /** Hours of the machine load that are written; StoreRepeat makes more from them. */
  private static final int WRITTEN_HOURS = 6;

  private static final ProfileType CPU =
      ProfileType.parse("process_cpu:cpu:nanoseconds:cpu:nanoseconds");

  public static void main(String[] arguments) throws Exception {
    boolean push = arguments[1].equals("push");
    Path folder = Path.of(arguments[2]);
    double hours = Double.parseDouble(arguments[3]);
    long begin = System.nanoTime();
    if (arguments[0].equals("write")) {
      boolean repeat = !push && hours > WRITTEN_HOURS;
      try (Store store = Store.open(StoreOptions.of(folder))) {
        write(store, folder, push, repeat ? WRITTEN_HOURS : hours);
      }
      System.out.println(peak());
      if (repeat) {
        repeat(folder, (int) (hours / WRITTEN_HOURS) - 1);
      }
      return;
    }
    try (Store store = Store.open(StoreOptions.of(folder))) {
      System.out.printf("open %.2f s%n", (System.nanoTime() - begin) / 1e9);
      read(store, push, hours);
      visible(store);
    }
    System.out.println(peak());
  }

  /** Makes segments and rollups of all samples; the store does this in the background otherwise. */
  private static void settle(Store store) throws Exception {
    Method settle = Store.class.getDeclaredMethod("settle");
    settle.setAccessible(true);
    settle.invoke(store);
  }

  private static void repeat(Path folder, int timesMore) throws Exception {
    long begin = System.nanoTime();
    StoreRepeat.run(folder, WRITTEN_HOURS, timesMore);
    System.out.printf(
        "repeated %d times in %.1f s%n", timesMore, (System.nanoTime() - begin) / 1e9);
    begin = System.nanoTime();
    try (Store store = Store.open(StoreOptions.of(folder))) {
      settle(store);
    }
    System.out.printf("bundles made in %.1f s%n", (System.nanoTime() - begin) / 1e9);
    sizes(folder, (timesMore + 1L) * WRITTEN_HOURS * 3600 * 99 * CPUS);
  }

  private static String peak() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      return "peak memory "
          + lines.filter(line -> line.startsWith("VmHWM")).findFirst().orElse("?").substring(6).trim();
    }
  }

  private static void write(Store store, Path folder, boolean push, double hours)
      throws Exception {
    Random random = new Random(1);
    Supplier<Recording> machine = push ? null : machine(random);
    List<Supplier<Recording>> services = new ArrayList<>();
    for (int i = 0; push && i < SERVICES; i++) {
      services.add(service(random, i));
    }
    long rows = 0;
    long inside = 0;
    long insideCpu = 0;
    long begin = System.nanoTime();
    int windows = (int) Math.round(hours * 3600 / (push ? 15 : 5));
    for (int window = 0; window < windows; window++) {
      for (int i = 0; i < (push ? SERVICES : 1); i++) {
        Recording recording = push ? services.get(i).get() : machine.get();
        Labels labels =
            push
                ? Labels.of("service_name", "service-" + i, "host", "host-" + i % 5)
                : Labels.of("host", "here");
        Profile profile = recording.main();
        rows += push ? profile.rows() : profile.timeline().size();
        long from = System.nanoTime();
        long fromCpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        store.add(recording, labels);
        inside += System.nanoTime() - from;
        insideCpu += ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - fromCpu;
        recording.close();
      }
    }
    store.span();
    long all = System.nanoTime() - begin;
    System.out.printf(
        "%,d rows in %.1f s, of which in the store %.1f s: %,.0f rows/s%n",
        rows, all / 1e9, inside / 1e9, rows / (inside / 1e9));
    settle(store);
    store.close();
    System.out.printf(
        "CPU a row: %.2f µs, of which adding %.2f µs%n",
        cpuNanos() / 1e3 / rows, insideCpu / 1e3 / rows);
    sizes(folder, rows);
  }

  private static void sizes(Path folder, long rows) throws IOException {
    Map<String, long[]> sums = new java.util.TreeMap<>();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String kind = file.getFileName().toString().replaceAll("-.*", "");
        sums.computeIfAbsent(kind, k -> new long[1])[0] += Files.size(file);
      }
    }
    long all = sums.values().stream().mapToLong(sum -> sum[0]).sum();
    sums.forEach(
        (kind, sum) -> System.out.printf("  %-14s %8.2f MB %6.2f B/row%n", kind, sum[0] / 1e6, (double) sum[0] / rows));
    System.out.printf("  %-14s %8.2f MB %6.2f B/row%n", "all", all / 1e6, (double) all / rows);
  }

  /** A recording every five seconds, as serve makes it. */
  private static Supplier<Recording> machine(Random random) {
    StackTable.Builder stacks = new StackTable.Builder();
    int perProcess = STACKS_PER_PROCESS;
    int[][] ids = new int[PROCESSES][perProcess];
    for (int process = 0; process < PROCESSES; process++) {
      ids[process] = stacks(random, stacks, "p" + process, perProcess, 30);
    }
    StackTable table = stacks.build();
    double[] zipf = zipf(perProcess);
    int[] current = new int[CPUS];
    int[] made = {0};
    return () -> {
      long start = START + made[0]++ * 5 * SECOND;
      Profile.Builder builder =
          new Profile.Builder(
              "cpu",
              "process_cpu",
              List.of(new ValueType("samples", "count"), new ValueType("cpu", "nanoseconds")),
              1,
              new ValueType("cpu", "nanoseconds"),
              PERIOD);
      int none = builder.labels(Labels.NONE);
      CompactTimelineBuilder timeline = CompactTimeline.builder();
      for (int tick = 0; tick < 495; tick++) {
        for (int cpu = 0; cpu < CPUS; cpu++) {
          if (random.nextInt(5) == 0) {
            current[cpu] = random.nextInt(PROCESSES);
          }
          int process = current[cpu];
          int tid = 1000 + process * 50 + random.nextInt(4);
          int thread =
              builder.thread(
                  new ThreadInfo(
                      1000 + process * 50,
                      tid,
                      1000 + process * 50,
                      START - process * SECOND,
                      "worker-" + tid % 50,
                      "program-" + process,
                      "/system.slice/program-" + process + ".service"));
          int row = builder.row(ids[process][pick(random, zipf)], thread, none);
          builder.add(row, 0, 1);
          builder.add(row, 1, PERIOD);
          long time = start + tick * PERIOD + cpu * 1_200_000L + random.nextInt(200_000);
          timeline.append(time, row, cpu, PERIOD);
        }
      }
      return new Recording(
          start,
          5 * SECOND,
          List.of(builder.build(table, timeline.build(), new Quality(3960, Map.of(), Map.of(), Map.of(), 99, 99))),
          Map.of());
    };
  }

  /** What a client pushes every 15 seconds. */
  private static Supplier<Recording> service(Random random, int service) {
    StackTable.Builder pool = new StackTable.Builder();
    int[] ids = stacks(random, pool, "s" + service, 400, 25);
    StackTable all = pool.build();
    int[] made = {0};
    return () -> {
      StackTable.Builder stacks = new StackTable.Builder();
      Profile.Builder builder =
          new Profile.Builder(
              "cpu",
              "process_cpu",
              List.of(new ValueType("cpu", "nanoseconds")),
              0,
              new ValueType("cpu", "nanoseconds"),
              PERIOD);
      int thread = builder.thread(new ThreadInfo(0, 0, 0, 0, "", "", ""));
      int none = builder.labels(Labels.NONE);
      for (int i = 0; i < 150; i++) {
        int[] frames = all.frameIds(ids[(random.nextInt(3) * 150 + i) % ids.length]);
        for (int f = 0; f < frames.length; f++) {
          frames[f] = stacks.frame(all.frames().get(frames[f]));
        }
        int row = builder.row(stacks.stack(frames, frames.length, StackEnd.WHOLE), thread, none);
        builder.add(row, 0, PERIOD * (1 + random.nextInt(20)));
      }
      return new Recording(
          START + made[0]++ * 15 * SECOND,
          15 * SECOND,
          List.of(builder.build(stacks.build(), Timeline.EMPTY, Quality.UNKNOWN)),
          Map.of());
    };
  }

  private static int[] stacks(
      Random random, StackTable.Builder stacks, String name, int count, int depth) {
    int[] ids = new int[count];
    int[][] pathOf = new int[count][depth];
    for (int i = 0; i < count; i++) {
      // Most stacks differ only near the leaf.
      int shared = i == 0 ? 0 : Math.max(0, depth - 1 - (int) (-3 * Math.log(random.nextDouble())));
      int[] path = i == 0 ? new int[depth] : pathOf[random.nextInt(i)].clone();
      for (int at = shared; at < depth; at++) {
        int function = random.nextInt(600);
        path[at] =
            stacks.frame(
                new Frame(
                    "dev::plumb::" + name + "::function_" + function,
                    FrameKind.NATIVE,
                    false,
                    true,
                    "lib" + name + ".so",
                    "0123456789abcdef0123456789abcdef01234567",
                    0x1000 + function * 64 + function % 2 * random.nextInt(3),
                    0,
                    "src/" + name + ".cc",
                    function));
      }
      pathOf[i] = path;
      int stack = stacks.empty(StackEnd.WHOLE);
      for (int frame : path) {
        stack = stacks.called(stack, frame);
      }
      ids[i] = stack;
    }
    return ids;
  }

  private static double[] zipf(int count) {
    double[] sums = new double[count];
    double sum = 0;
    for (int i = 0; i < count; i++) {
      sum += 1.0 / (i + 1);
      sums[i] = sum;
    }
    return sums;
  }

  private static int pick(Random random, double[] zipf) {
    int at = Arrays.binarySearch(zipf, random.nextDouble() * zipf[zipf.length - 1]);
    return Math.min(zipf.length - 1, at < 0 ? -at - 1 : at);
  }

  private static void read(History store, boolean push, double hours) {
    long end = START + Math.round(hours * 3600) * SECOND;
    Selector one = Selector.parse(push ? "{service_name=\"service-7\"}" : "{comm=\"program-7\"}");
    TimeRange hour = last(1, end);
    for (int length : new int[] {1, 6, 24, 168}) {
      if (length > hours && length != 6) {
        continue;
      }
      TimeRange range = last(Math.min(length, hours), end);
      String of = " of " + Math.min(length, (int) hours) + " h";
      // As the page requests it, in at most 240 steps.
      long step = Math.max(15, length * 15L) * SECOND;
      long from = range.fromNanos() / step * step;
      TimeRange even = new TimeRange(from, from + (range.toNanos() - from) / step * step);
      time("flame graph" + of, () -> store.merged(Selection.of(CPU, Selector.ALL, range)).rows());
      time("flame graph" + of + ", one service", () -> store.merged(Selection.of(CPU, one, range)).rows());
      time("timeline" + of, () -> store.timeline(Selection.of(CPU, Selector.ALL, even), List.of("service_name"), step, 10).size());
      if (length <= 24) {
        TimeRange seconds = new TimeRange(from, range.toNanos());
        time("series" + of + ", 15 s", () -> store.timeline(Selection.of(CPU, Selector.ALL, seconds), List.of("service_name"), 15 * SECOND, 0).size());
        time("processes" + of, () -> store.processes(Selection.of(CPU, Selector.ALL, range), 50).size());
      }
    }
    time("heatmap of 1 h", () -> store.heatmap(Selection.of(CPU, Selector.ALL, hour), 3600, 50).columns());
    TimeRange all = new TimeRange(START, end);
    time("label values of service_name", () -> store.labelValues("service_name", Selector.ALL, all).size());
    time("label values of pid", () -> store.labelValues("pid", Selector.ALL, all).size());
  }

  /** The time from a push until every kind of query sees it. */
  private static void visible(Store store) {
    Selector fresh = Selector.parse("{service_name=\"fresh\"}");
    TimeRange hour = new TimeRange(START, START + 3600 * SECOND);
    Selection selection = Selection.of(CPU, fresh, hour);
    try (Recording recording = service(new Random(2), SERVICES).get()) {
      long begin = System.nanoTime();
      store.add(recording, Labels.of("service_name", "fresh"));
      while (store.merged(selection).rows() == 0
          || store.timeline(selection, List.of("service_name"), 15 * SECOND, 10).isEmpty()
          || store.processes(selection, 10).isEmpty()
          || !store.labelValues("service_name", fresh, hour).contains("fresh")) {
        Thread.onSpinWait();
      }
      System.out.printf("pushed → in every answer %.3f s%n", (System.nanoTime() - begin) / 1e9);
    }
  }

  /** Begins and ends anywhere, as a range that a user selects. */
  private static TimeRange last(double hours, long end) {
    long to = end - 4321 * 1_000_000L;
    return new TimeRange(Math.max(START, to - Math.round(hours * 3600) * SECOND - 77_000_000), to);
  }

  /** Prints the time of the first run and the best of four more. */
  private static void time(String what, Supplier<Integer> question) {
    double first = 0;
    double best = Double.MAX_VALUE;
    double work = Double.MAX_VALUE;
    int size = 0;
    for (int i = 0; i < 5; i++) {
      long begin = System.nanoTime();
      long worked = cpuNanos();
      size = question.get();
      double took = (System.nanoTime() - begin) / 1e9;
      first = i == 0 ? took : first;
      best = i == 0 ? best : Math.min(best, took);
      work = i == 0 ? work : Math.min(work, (cpuNanos() - worked) / 1e9);
    }
    System.out.printf(
        "%-34s first %.3f s, then %.3f s, CPU %.3f s (%d)%n", what, first, best, work, size);
  }

  /** CPU time of all threads, which does not depend on the machine's other load. */
  private static long cpuNanos() {
    return ((com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
