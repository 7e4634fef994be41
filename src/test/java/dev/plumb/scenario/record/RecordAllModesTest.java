package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.collect.Mode;
import dev.plumb.collect.Modes;
import dev.plumb.export.Formats;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.scenario.ProfileSums;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All modes in one recording see what each of them sees alone, and memory stays bounded. */
@RequiresRoot
class RecordAllModesTest {
  private static final int FAULTED_AROUND = 64;
  private static final int ROUNDS = 500;
  private static final int SEED_SECONDS = 1;

  /** The heap has 160 MB; the JVM's own, tables and buffers come on top. */
  private static final long MAX_OWN_KILOBYTES = (160 + 100) << 10;

  /** With the files of programs that are mapped to be looked into. */
  private static final long MAX_KILOBYTES = 400 << 10;

  private static final String PROGRAM = Programs.compiled("steady").toString();
  private static final String UPROBE = "uprobe:" + PROGRAM + ":counted_step";
  private static final String SYSCALL = "syscall:getppid";
  private static final String EVENT = "event:sched:sched_process_exit";

  @TempDir Path home;

  /** What the program did by its own account. */
  private record Own(double cpuMicros, double lockMicros) {}

  @Test
  void allModesAtOnce() throws Exception {
    Installation plumb = Installation.in(home);
    Path file = home.resolve("all.plumb");
    List<String> command = new ArrayList<>(List.of(plumb.launcher().toString(), "record"));
    List<String> modes = Modes.all().stream().map(Mode::name).filter(this::isPossible).toList();
    command.addAll(modes);
    command.addAll(List.of(UPROBE, SYSCALL, EVENT, "-o", file.toString(), "--", "sh", "-c"));
    String spinner = Programs.compiled("spinner").toString();
    String storm = Programs.compiled("spawnstorm").toString();
    command.add(
        "%s 50 2 100 > /dev/null & a=$!; %s 20 60 > /dev/null & b=$!; %s %d %s > %s; kill $a $b"
            .formatted(spinner, storm, PROGRAM, ROUNDS, onDisk(), home.resolve("own")));
    long peak = 0;
    long ownPeak = 0;
    String said;
    try (Installation.Started started = plumb.start(command)) {
      while (started.process().isAlive()) {
        peak = Math.max(peak, status(started.pid(), "VmHWM"));
        ownPeak = Math.max(ownPeak, status(started.pid(), "RssAnon"));
        Thread.sleep(50);
      }
      Installation.Result result = started.end(1);
      said = result.err();
      assertThat(said).contains(" lost").doesNotContain("Exception");
    }
    assertThat(ownPeak).as("own memory, KB").isBetween(10_000L, MAX_OWN_KILOBYTES);
    assertThat(peak).as("resident memory, KB").isBetween(10_000L, MAX_KILOBYTES);
    String[] words = Files.readString(home.resolve("own")).strip().split(" ");
    Own own = new Own(Double.parseDouble(words[0]), Double.parseDouble(words[1]));
    try (Recording recording = Formats.read(file).recording()) {
      assertThat(recording.profiles().stream().map(Profile::mode))
          .as(said)
          .containsAll(modes)
          .contains(UPROBE, SYSCALL, EVENT);
      check(recording, own);
    }
  }

  private boolean isPossible(String mode) {
    return Modes.of(mode).problem(KernelTypes.running().kernel()).isEmpty();
  }

  /** Files in folders for temporary ones may have no disk, and then no page cache. */
  private static Path onDisk() throws IOException {
    Path folder = Files.createDirectories(Path.of("target/disk").toAbsolutePath());
    return folder.resolve("moved");
  }

  private static void check(Recording recording, Own own) {
    Map<String, Profile> profiles = new HashMap<>();
    recording.profiles().forEach(profile -> profiles.put(profile.mode(), profile));
    long lost = recording.main().quality().lostTotal();
    assertThat(lost).as(recording.main().quality().lost().toString()).isLessThan(1000);

    exact(profiles.get("mem"), "alloc_objects", "keeps_block", ROUNDS, lost);
    exact(profiles.get("mem"), "inuse_space", "keeps_block", 1003L * ROUNDS, 1003 * lost);
    exact(profiles.get("mem"), "alloc_objects", "churns_blocks", 50L * ROUNDS, lost);
    exact(profiles.get("mem"), "inuse_objects", "churns_blocks", 0, 0);
    exact(profiles.get("io"), "calls", "moves_bytes", 10L * ROUNDS, lost);
    exact(profiles.get("io"), "bytes", "moves_bytes", 5096L * 5 * ROUNDS, 4096 * lost);
    exact(profiles.get(UPROBE), "count", "counted_step", 20L * ROUNDS, lost);
    exact(profiles.get(SYSCALL), "count", "main", 10L * ROUNDS, lost);
    assertThat(profiles.get(EVENT).total(0)).isPositive();
    exact(profiles.get("forks"), "threads", "clone3", 1, 0);
    if (profiles.containsKey("cache")) {
      // Its code is found there too, when it first runs: some pages at once.
      assertThat(sum(profiles.get("cache"), "pages", "moves_bytes"))
          .isBetween(5.0 * ROUNDS - lost, 5.0 * ROUNDS + FAULTED_AROUND);
      exact(profiles.get("cache"), "misses", "moves_bytes", 0, 0);
    }
    assertThat(sum(profiles.get("faults"), "faults", "main")).isPositive();
    assertThat(sum(profiles.get("load"), "length", "main")).as("it shares its CPU").isPositive();

    assertThat(sum(profiles.get("lock"), "time", "waits_for_lock") / 1e3)
        .isCloseTo(own.lockMicros(), withinPercentage(5));
    assertThat(sum(profiles.get("cpu"), "cpu", "main") / 1e3)
        .as("99 samples a second")
        .isCloseTo(own.cpuMicros(), withinPercentage(25));
    double asleep = sum(profiles.get("offcpu"), "time", "main");
    double running = sum(profiles.get("cpu"), "cpu", "main");
    assertThat(sum(profiles.get("wall"), "wall", "main"))
        .isCloseTo(asleep + running, withinPercentage(1));
    assertThat(asleep / 1e3)
        .as("the lock and the pause at the start")
        .isGreaterThan(0.95 * own.lockMicros() + SEED_SECONDS * 1e6);
    assertThat(sum(profiles.get("runq"), "time", "main")).as("it shares its CPU").isPositive();
  }

  /** At most what was lost is missing, and nothing is counted twice. */
  private static void exact(
      Profile profile, String type, String function, long expected, long lost) {
    assertThat((long) sum(profile, type, function))
        .as("%s %s of %s", profile.mode(), type, function)
        .isBetween(expected - lost, expected);
  }

  private static double sum(Profile profile, String type, String function) {
    int column = profile.type(type).orElseThrow();
    long sum = 0;
    for (int row = 0; row < profile.rows(); row++) {
      if (profile.thread(row).processComm().equals("steady")
          && ProfileSums.has(profile, row, function)) {
        sum += profile.value(row, column);
      }
    }
    return sum;
  }

  /** A line of /proc/PID/status in KB; 0 when the process has gone. */
  private static long status(int pid, String name) {
    try {
      Matcher line =
          Pattern.compile(name + ":\\s+(\\d+) kB")
              .matcher(Files.readString(Path.of("/proc/" + pid + "/status")));
      return line.find() ? Long.parseLong(line.group(1)) : 0;
    } catch (IOException e) {
      return 0;
    }
  }
}
