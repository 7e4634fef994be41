package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.Folded;
import dev.plumb.testing.OwnDisk;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Other tools watch the same program in the same run, from before it begins until it has ended. */
@RequiresRoot
class RecordPeersTest {
  @TempDir Path folder;

  private PeerTool.Starter starter;

  @BeforeEach
  void startShell() {
    starter = new PeerTool.Starter(folder);
  }

  @AfterEach
  void endShell() {
    starter.close();
  }

  /**
   * Four threads on one CPU. runqlat says how many waits there were of which size; that of a new
   * thread it counts and we do not. perf says how long they were.
   */
  @Test
  void waitsForACpuAreThoseOfRunqlatAndPerf() throws Exception {
    needs("runqlat", "libbpf-tools");
    needs("perf", "linux-perf");
    Path file = folder.resolve("out.plumb");
    String data = folder.resolve("sched.data").toString();
    try (HeldProgram held = new HeldProgram(folder)) {
      CompletableFuture<PeerTool> runqlat = new CompletableFuture<>();
      CompletableFuture<PeerTool> perf = new CompletableFuture<>();
      beside(
          () -> {
            String pid = "" + held.pid();
            runqlat.complete(peer("Tracing", "stdbuf", "-oL", "runqlat", "-p", pid, "60"));
            perf.complete(peer("Events enabled", perfSched(data)));
            held.go();
            return 0;
          },
          runqlat,
          perf);
      String spinner = Programs.compiled("spinner").toString();
      record(held, List.of("runq", "-o", file.toString()), "taskset -c 0", spinner, "50 4 1");
      String histogram = end(runqlat);
      end(perf);
      String latencies = Programs.run("perf", "sched", "latency", "-p", "-i", data);
      try (Recording recording = Formats.read(file).recording()) {
        Profile profile = recording.main();
        Predicate<Integer> own = row -> profile.thread(row).processComm().equals("spinner");
        assertThat(profile.quality().lost()).isEmpty();
        long waits = sum(profile, 0, own);
        double micros = sum(profile, 1, own) / 1e3;
        assertHistogram(histogram, waits, micros);
        double theirs =
            all("spinner:(\\d+) .*\\| +(\\d+) \\| avg: +([\\d.]+) ms", latencies)
                .filter(m -> isRecorded(m.group(1), profile))
                .mapToDouble(m -> Long.parseLong(m.group(2)) * Double.parseDouble(m.group(3)))
                .sum();
        assertThat(micros / 1e3).as(latencies).isCloseTo(theirs, withinPercentage(5));
      }
    }
  }

  /** perf sees all of the machine. */
  private static boolean isRecorded(String tid, Profile profile) {
    return profile.threads().stream().anyMatch(t -> t.tid() == Integer.parseInt(tid));
  }

  private static String[] perfSched(String data) {
    return new String[] {"perf", "sched", "record", "-D", "10", "-o", data};
  }

  private static void assertHistogram(String histogram, long waits, double micros) {
    long count = 0;
    double least = 0;
    double most = 0;
    List<MatchResult> lines = all("(\\d+) -> (\\d+) +: (\\d+)", histogram).toList();
    for (MatchResult line : lines) {
      long n = Long.parseLong(line.group(3));
      count += n;
      least += n * Double.parseDouble(line.group(1));
      most += n * (Double.parseDouble(line.group(2)) + 1);
    }
    assertThat(count).as(histogram).isGreaterThan(50);
    assertThat((double) waits).as(histogram).isCloseTo(count, within(8 + count * 0.03));
    assertThat(micros).as(histogram).isBetween(least * 0.95, most * 1.05);
  }

  /** biolatency looks at a disk, whoever uses it; so do we. */
  @Test
  void requestsOfDisksAreThoseOfBiolatency() throws Exception {
    needs("biolatency", "libbpf-tools");
    Path file = folder.resolve("out.plumb");
    try (OwnDisk disk = OwnDisk.make(400 * 65536);
        HeldProgram held = new HeldProgram(folder)) {
      CompletableFuture<PeerTool> biolatency = new CompletableFuture<>();
      beside(
          () -> {
            held.pid();
            biolatency.complete(
                peer("Tracing", "stdbuf", "-oL", "biolatency", "-d", disk.name(), "60"));
            held.go();
            return 0;
          },
          biolatency);
      String direct = Programs.compiled("directio").toString();
      String work = disk.path().toString();
      record(held, List.of("block", "-a", "-o", file.toString()), direct, work, "400 65536");
      String histogram = end(biolatency);
      try (Recording recording = Formats.read(file).recording()) {
        Profile profile = recording.main();
        assertThat(profile.quality().lost()).isEmpty();
        Predicate<Integer> there =
            row -> profile.labels(row).values().get("device").equals(disk.name());
        assertHistogram(histogram, sum(profile, 0, there), sum(profile, 2, there) / 1e3);
      }
    }
  }

  @Test
  void callsOfAFunctionAreThoseOfFunccount() throws Exception {
    needs("funccount-bpfcc", "bpfcc-tools");
    String probes = Programs.compiled("probes").toString();
    Path file = folder.resolve("out.folded");
    try (HeldProgram held = new HeldProgram(folder)) {
      CompletableFuture<PeerTool> funccount = new CompletableFuture<>();
      beside(
          () -> {
            held.pid();
            funccount.complete(peer("Tracing 1", "funccount-bpfcc", probes + ":counted_call"));
            held.go();
            return 0;
          },
          funccount);
      String probe = "uprobe:" + probes + ":counted_call";
      record(held, List.of(probe, "-o", file.toString()), probes, "threads", "1500");
      String table = end(funccount);
      long theirs =
          all("counted_call +(\\d+)", table).mapToLong(m -> Long.parseLong(m.group(1))).sum();
      assertThat(Folded.read(file).total()).as(table).isEqualTo(theirs).isEqualTo(12_000);
    }
  }

  /** bpftrace adds up what threads spend in calls of futex that wait, and have to. */
  @Test
  void waitsForUserLocksAreThoseOfBpftrace() throws Exception {
    needs("bpftrace", "bpftrace");
    Path file = folder.resolve("out.plumb");
    try (HeldProgram held = new HeldProgram(folder)) {
      CompletableFuture<PeerTool> bpftrace = new CompletableFuture<>();
      beside(
          () -> {
            bpftrace.complete(peer("Attaching", "bpftrace", "-e", futexScript(held.pid())));
            bpftrace.get().await("ready");
            Thread.sleep(500); // what comes after BEGIN is attached to a little later
            held.go();
            return 0;
          },
          bpftrace);
      String locker = Programs.compiled("locker").toString();
      record(held, List.of("lock", "-o", file.toString()), locker, "mutex 20 20");
      String maps = end(bpftrace);
      try (Recording recording = Formats.read(file).recording()) {
        Profile profile = recording.main();
        Predicate<Integer> user = row -> !lock(profile, row).startsWith("kernel");
        assertThat((double) sum(profile, 1, user))
            .as(maps)
            .isCloseTo(number("@time: (\\d+)", maps), withinPercentage(2));
        assertThat(sum(profile, 0, user)).as(maps).isEqualTo((long) number("@n: (\\d+)", maps));
      }
    }
  }

  private static String futexScript(int pid) {
    String enter =
        "tracepoint:syscalls:sys_enter_futex /pid == %d && ((args->op & 127) == 0 || (args->op &"
            + " 127) == 9)/ { @s[tid] = nsecs; } ";
    return ("BEGIN { printf(\"ready\\n\"); } " + enter.formatted(pid))
        + "tracepoint:syscalls:sys_exit_futex /@s[tid]/ { if (args->ret != -11) "
        + "{ @time = sum(nsecs - @s[tid]); @n = count(); } delete(@s[tid]); }";
  }

  /** Threads that append to one file wait for the kernel's lock of it. */
  @Test
  void waitsForKernelLocksAreThoseOfPerf() throws Exception {
    needs("perf", "linux-perf");
    Path file = folder.resolve("out.plumb");
    String data = folder.resolve("lock.data").toString();
    try (HeldProgram held = new HeldProgram(folder)) {
      CompletableFuture<PeerTool> perf = new CompletableFuture<>();
      beside(
          () -> {
            String pid = "" + held.pid();
            perf.complete(
                peer(
                    "Events enabled", "perf", "lock", "record", "-D", "10", "-p", pid, "-o", data));
            held.go();
            return 0;
          },
          perf);
      String appenders = Programs.compiled("appenders").toString();
      String shared = folder.resolve("shared").toString();
      record(held, List.of("lock", "-o", file.toString()), appenders, "4 3000", shared);
      end(perf);
      String table = Programs.run("sh", "-c", "perf lock contention -i " + data + " 2>&1");
      double theirs =
          all("([\\d.]+) (s|ms|us|ns) +[\\d.]+ \\w+ +[\\d.]+ \\w+ +rwsem:W", table)
              .mapToDouble(m -> Double.parseDouble(m.group(1)) * nanos(m.group(2)))
              .sum();
      assertThat(theirs).as(table).isPositive();
      try (Recording recording = Formats.read(file).recording()) {
        Profile profile = recording.main();
        Predicate<Integer> rwsem = row -> lock(profile, row).equals("kernel rwsem, to write");
        assertThat((double) sum(profile, 1, rwsem))
            .as(table)
            .isCloseTo(theirs, withinPercentage(5));
      }
    }
  }

  private static double nanos(String unit) {
    return switch (unit) {
      case "s" -> 1e9;
      case "ms" -> 1e6;
      case "us" -> 1e3;
      default -> 1;
    };
  }

  private static void needs(String command, String debianPackage) {
    assumeTrue(PeerTool.has(command), command + " is missing; install " + debianPackage);
  }

  private PeerTool peer(String ready, String... command) throws Exception {
    return starter.start(ready, command);
  }

  private static String end(CompletableFuture<PeerTool> peer) throws Exception {
    try (PeerTool ended = peer.get(1, TimeUnit.SECONDS)) {
      return ended.interrupt();
    }
  }

  /** Does something while Plumb records; if it fails, so does what waits for its results. */
  private void beside(Callable<Integer> work, CompletableFuture<?>... results) {
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                work.call();
              } catch (Throwable e) {
                Stream.of(results).forEach(result -> result.completeExceptionally(e));
                try {
                  Programs.run("sh", "-c", "kill $(cat " + folder.resolve("held-pid") + ")");
                } catch (AssertionError alreadyGone) {
                  // then nobody waits for it
                }
              }
            });
  }

  private static void record(HeldProgram held, List<String> options, String... program) {
    List<String> words = new ArrayList<>(List.of("record"));
    words.addAll(options);
    words.add("--");
    PlumbCommand.Result result = PlumbCommand.run(held.after(words, program));
    assertThat(result.code()).as(result.err()).isZero();
  }

  private static Stream<MatchResult> all(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results();
  }

  private static double number(String pattern, String text) {
    return all(pattern, text).mapToDouble(m -> Double.parseDouble(m.group(1))).sum();
  }

  private static long sum(Profile profile, int type, Predicate<Integer> rows) {
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      sum += rows.test(row) ? profile.value(row, type) : 0;
    }
    return sum;
  }

  private static String lock(Profile profile, int row) {
    return profile.labels(row).values().getOrDefault("lock", "");
  }
}
