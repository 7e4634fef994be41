package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.plumb.bpf.Feature;
import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.scenario.ProfileSums;
import dev.plumb.testing.Folded;
import dev.plumb.testing.OnEveryKernel;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Probes of a program that does things a known number of times, for a known time. */
@RequiresRoot
class RecordProbeTest {
  @TempDir Path folder;

  private final String program = Programs.compiled("probes").toString();

  private Folded record(String probe, List<String> options, String... arguments) {
    List<String> all = new ArrayList<>(List.of(probe, "--quiet"));
    all.addAll(options);
    all.addAll(List.of("--", program));
    all.addAll(List.of(arguments));
    return PlumbCommand.record(folder, all.toArray(String[]::new));
  }

  private Folded record(String probe, String... arguments) {
    return record(probe, List.of(), arguments);
  }

  private static boolean functionsOfTheKernel() {
    return Feature.KPROBE.present() || Feature.FENTRY.present();
  }

  @OnEveryKernel
  @Test
  void functions() {
    Folded folded = record("uprobe:" + program + ":counted_call", "call", "5000");
    assertThat(folded.sum(line -> line.has("do_it") && line.leaf().equals("counted_call")))
        .isEqualTo(5000);
    assertThat(folded.total()).isEqualTo(5000);
  }

  @Test
  void threads() {
    assertThat(
            record("uprobe:" + program + ":counted_call", "threads", "1000").with("counted_call"))
        .isEqualTo(8000);
    assertThat(
            record("uretprobe:" + program + ":counted_call", "threads", "1000")
                .with("counted_call"))
        .isEqualTo(8000);
  }

  /** The program's own clock says how long it was. */
  private void takesAsLongAsItSays(String probe, String function, String does) throws Exception {
    Path own = folder.resolve("own");
    Path file = folder.resolve("timed.plumb");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record", probe, "-o", file + "", "--", program, does, "20", "10000", own.toString());
    assertThat(result.code()).as(result.err()).isZero();
    long[] sums = ProfileSums.sums(file, function);
    assertThat(sums[0]).as(probe).isEqualTo(20);
    double nanos = Long.parseLong(Files.readString(own).strip());
    assertThat((double) sums[1])
        .as(probe)
        .isCloseTo(nanos, withinPercentage(Programs.onEmulatedMachine() ? 30 : 10));
  }

  @Test
  void time() throws Exception {
    takesAsLongAsItSays("uretprobe:" + program + ":spin_for", "spin_for", "spin");
    takesAsLongAsItSays("p:" + program + ":sleep_for", "sleep_for", "sleep");
    takesAsLongAsItSays("syscall:nanosleep", "nanosleep", "nanosleep");
    assertThat(record("uretprobe:" + program + ":spin_for", "spin", "50", "400").with("spin_for"))
        .isEqualTo(50);
  }

  /** Each call has the stack that it had, though the return addresses of its callers are hidden. */
  @Test
  void recursion() {
    Folded folded =
        record(
            "uretprobe:" + program + ":recurse", List.of("--value", "time"), "recurse", "20", "4");
    for (Folded.Line line : folded.lines()) {
      assertThat(line.frames()).containsSubsequence("main", "do_it", "recurse");
      assertThat(String.join(";", line.frames())).doesNotContain("[uprobes]");
    }
    long outer = folded.sum(line -> depth(line) == 1);
    long inner = folded.sum(line -> depth(line) == 5);
    assertThat(inner).isBetween(20 * 2000L, outer);
    assertThat(depths(folded)).containsExactly(1L, 2L, 3L, 4L, 5L);
    assertThat(record("uretprobe:" + program + ":recurse", "recurse", "20", "4").total())
        .isEqualTo(100);
  }

  private static long depth(Folded.Line line) {
    return line.frames().stream().filter("recurse"::equals).count();
  }

  private static List<Long> depths(Folded folded) {
    return folded.lines().stream().map(RecordProbeTest::depth).distinct().sorted().toList();
  }

  @Test
  void callsThatNeverReturn() {
    assertThat(record("uretprobe:" + program + ":jump_out", "jump", "100").with("jump_out"))
        .isEqualTo(100);
    assertThat(record("syscall:exit_group", "call", "1").total()).isEqualTo(1);
  }

  @OnEveryKernel
  @Test
  void syscalls() {
    // As many as can be unwound before the kernel side knows how.
    Folded folded = record("syscall:getppid", "syscall", "500");
    assertThat(folded.sum(line -> line.has("do_it") && line.leaf().equals("getppid_[k]")))
        .isEqualTo(500);
  }

  @Test
  void manyCallsOfOne() {
    assertThat(record("syscall:getppid", "syscall", "30000").with("getppid_[k]")).isEqualTo(30_000);
  }

  /** Many are collected in another way than few. */
  @Test
  void manySyscalls() throws Exception {
    assertThat(byLabel("probe", "syscall:*", "--", program, "syscall", "3000"))
        .containsEntry("getppid", 3000L)
        .containsEntry("exit_group", 1L);
    assertThat(record("syscall:get*", "syscall", "100").with("getppid_[k]")).isEqualTo(100);
  }

  @OnEveryKernel
  @Test
  void events() {
    // And the program that is watched itself.
    assertThat(record("event:sched:sched_process_exec", "exec", "10").total()).isEqualTo(11);
  }

  @OnEveryKernel
  @Test
  void usdt() {
    assertThat(record("usdt:" + program + ":plumbtest:tick", "usdt", "500").with("with_probe"))
        .isEqualTo(500);
  }

  @Test
  void usdtWithoutASemaphore() {
    assertThat(record("u:" + program + ":always", "usdt", "500").with("with_probe")).isEqualTo(500);
  }

  @Test
  void counters() {
    assertThat(record("sw:page-faults", "fault", "2000").with("do_it")).isBetween(2000L, 2020L);
  }

  @Test
  void severalAtOnce() throws Exception {
    Path file = folder.resolve("several.plumb");
    PlumbCommand.run(
        "record",
        "uprobe:" + program + ":counted_call",
        "uprobe:" + program + ":do_it",
        "syscall:getppid",
        "cpu",
        "-o",
        file.toString(),
        "--",
        program,
        "call",
        "300");
    try (Recording recording = Formats.read(file).recording()) {
      assertThat(recording.profiles()).extracting(Profile::mode).hasSize(4);
      assertThat(recording.profiles().get(0).total(0)).isEqualTo(300);
      assertThat(recording.profiles().get(1).total(0)).isEqualTo(1);
      assertThat(recording.profiles().get(2).total(0)).isZero();
    }
  }

  /** By label: how many. */
  private Map<String, Long> byLabel(String label, String... arguments) throws Exception {
    Path file = folder.resolve("labels.plumb");
    List<String> all = new ArrayList<>(List.of("record", "--quiet", "-o", file.toString()));
    all.addAll(List.of(arguments));
    PlumbCommand.Result result = PlumbCommand.run(all.toArray(String[]::new));
    assertThat(result.code()).as(result.err()).isZero();
    Map<String, Long> sums = new TreeMap<>();
    try (Recording recording = Formats.read(file).recording()) {
      Profile profile = recording.profiles().getFirst();
      for (int row = 0; row < profile.rows(); row++) {
        String value = profile.labels(row).values().getOrDefault(label, "");
        sums.merge(value, profile.value(row, 0), Long::sum);
      }
    }
    return sums;
  }

  @Test
  void argumentsAreLabels() throws Exception {
    String function = "uprobe:" + program + ":counted_call";
    assertThat(byLabel("arg0", function, "--args", "arg0", "--", program, "call", "300"))
        .isEqualTo(Map.of("0", 100L, "1", 100L, "2", 100L));
    assertThat(byLabel("arg1", function, "--args", "arg1:str", "--", program, "call", "300"))
        .isEqualTo(Map.of("even", 100L, "odd", 200L));
    String usdt = "usdt:" + program + ":tick";
    assertThat(byLabel("arg0", usdt, "--args", "all", "--", program, "usdt", "10"))
        .isEqualTo(Map.of("-1", 5L, "0", 5L));
    for (Map.Entry<String, String> argument :
        Map.of("arg1", "0x10000000000", "arg2", "-5", "arg3", "77", "arg4", "0x10000000000")
            .entrySet()) {
      assertThat(byLabel(argument.getKey(), usdt, "--args", "all", "--", program, "usdt", "10"))
          .isEqualTo(Map.of(argument.getValue(), 10L));
    }
    assertThat(
            byLabel(
                "filename",
                "event:sched:sched_process_exec",
                "--args",
                "filename",
                "--",
                program,
                "exec",
                "4"))
        .containsEntry("/proc/self/exe", 4L)
        .containsEntry(program, 1L);
  }

  @Test
  void pointsOfAPatternAreLabels() throws Exception {
    Map<String, Long> points =
        byLabel("probe", "uprobe:" + program + ":*_*", "--", program, "call", "7");
    if (Feature.COOKIES.present()) {
      assertThat(points).containsEntry("counted_call", 7L).containsEntry("do_it", 1L);
    } else {
      assertThat(points).containsOnlyKeys("");
    }
  }

  @Test
  void filters() {
    String function = "uretprobe:" + program + ":counted_call";
    assertThat(
            record(function, List.of("--filter", "arg0 >= 1 && arg1:str ~ \"o*\""), "call", "300")
                .total())
        .isEqualTo(200);
    assertThat(
            record(function, List.of("--filter", "arg0 == 1 || arg1:str == even"), "call", "300")
                .total())
        .isEqualTo(200);
    assertThat(record(function, List.of("--filter", "!(arg0 < 2)"), "call", "300").total())
        .isEqualTo(100);
    assertThat(
            record(
                    "usdt:" + program + ":tick",
                    List.of("--filter", "arg0 < 0 && arg3 == 77"),
                    "usdt",
                    "300")
                .total())
        .isEqualTo(150);
  }

  @Test
  void aRunningProcessAndWhatItHasMapped() throws Exception {
    Process process =
        new ProcessBuilder(program, "sleep", "20000", "5000")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String pid = Long.toString(process.pid());
      Folded folded =
          PlumbCommand.record(
              folder, "uretprobe:c:usleep", "--value", "time", "-p", pid, "-d", "1");
      assertThat(folded.with("usleep")).isBetween(700_000L, 3_000_000L);
      PlumbCommand.Result missing =
          PlumbCommand.run("record", "uprobe:libssl:SSL_read", "-p", pid, "-o", "-", "-d", "1");
      assertThat(missing.code()).isEqualTo(2);
      assertThat(missing.err()).contains("process " + pid + " has not mapped 'libssl'");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @OnEveryKernel
  @Test
  @EnabledIf("functionsOfTheKernel")
  void functionsOfTheKernelAreTimed() throws Exception {
    for (String way : List.of("", "kretprobe:", "fexit:")) {
      if (way.equals("fexit:") && !Feature.FENTRY.present()
          || way.equals("kretprobe:") && !Feature.KPROBE.present()) {
        continue;
      }
      takesAsLongAsItSays(way + "hrtimer_nanosleep", "hrtimer_nanosleep", "nanosleep");
    }
  }

  @Test
  @DisabledIf("functionsOfTheKernel")
  void withoutKprobesOtherModesGoOn() throws Exception {
    Path file = folder.resolve("other.plumb");
    PlumbCommand.Result result =
        PlumbCommand.run(
            "record",
            "kprobe:vfs_read",
            "uprobe:" + program + ":counted_call",
            "-o",
            file.toString(),
            "--",
            program,
            "call",
            "9");
    assertThat(result.code()).isZero();
    assertThat(result.err()).contains("kprobe:vfs_read: this kernel has no kprobes");
    try (Recording recording = Formats.read(file).recording()) {
      assertThat(recording.profiles()).hasSize(1);
      assertThat(recording.profiles().getFirst().total(0)).isEqualTo(9);
    }
    PlumbCommand.Result alone = PlumbCommand.run("record", "vfs_read", "-o", "-", "-d", "1");
    assertThat(alone.code()).isEqualTo(3);
    assertThat(alone.err()).contains("CONFIG_KPROBES").contains("plumb list events");
  }
}
