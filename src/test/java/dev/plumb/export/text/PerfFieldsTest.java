package dev.plumb.export.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.export.Formats;
import dev.plumb.export.file.Reading;
import dev.plumb.profile.Profile;
import dev.plumb.profile.Recording;
import dev.plumb.testing.ExternalTools;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** perf prints a recording with the fields that users choose; every sample of it is read. */
class PerfFieldsTest {
  /** One process that takes one name after the other. */
  private static final String PROGRAM =
      """
      #include <sys/prctl.h>
      #include <time.h>
      static volatile long sink;
      __attribute__((noinline)) void burn(void) {
        struct timespec end, now;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
        end.tv_nsec += 60000000;
        if (end.tv_nsec >= 1000000000) { end.tv_sec++; end.tv_nsec -= 1000000000; }
        do {
          for (int i = 0; i < 10000; i++) sink += i;
          clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        } while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
      }
      int main(int count, char **names) {
        for (int i = 1; i < count; i++) { prctl(PR_SET_NAME, names[i]); burn(); }
        return 0;
      }
      """;

  private static final List<String> COMMS =
      List.of("plain", "Web Content 1", "12 34 [001]", "a: b:", "kworker/0:1-ev", "abc", "x;y#(z)");

  /** Empty is perf's own choice. */
  private static final List<String> FIELDS =
      List.of(
          "",
          "comm,pid,tid,cpu,time,event,ip,sym,dso",
          "comm,pid,tid,cpu,time,period,event,ip,sym,symoff,dso",
          "comm,tid,time,event,ip,sym",
          "comm,pid,event,ip,sym",
          "comm,pid,tid,period,event,ip,sym,dso",
          "comm,tid,ip,sym,srcline",
          "comm,ip,sym",
          "comm,pid,time,ip",
          "-time",
          "+misc");

  @Test
  void stacksAndNone(@TempDir Path folder) throws Exception {
    Files.writeString(folder.resolve("names.c"), PROGRAM);
    ExternalTools.runIn(
        folder,
        ExternalTools.need("gcc"),
        "-O1",
        "-fno-omit-frame-pointer",
        "names.c",
        "-o",
        "names");
    for (List<String> options :
        List.of(
            List.of("-e", "cpu-clock"),
            List.of("-e", "cpu-clock", "-g"),
            List.of("-e", "cpu-clock,page-faults", "-g"))) {
      check(folder, options);
    }
  }

  private static void check(Path folder, List<String> options) throws Exception {
    Path perf = ExternalTools.need("perf");
    List<Object> record = new java.util.ArrayList<>(List.of(perf, "record", "-q"));
    record.addAll(options);
    record.addAll(List.of("-F", "499", "--sample-cpu", "-o", "perf.data", "--", "./names"));
    record.addAll(COMMS);
    ExternalTools.runIn(folder, record.toArray());
    long samples =
        samples(ExternalTools.runIn(folder, perf, "report", "-i", "perf.data", "--stats"));
    assertThat(samples).isGreaterThan(50);
    for (String fields : FIELDS) {
      String text =
          fields.isEmpty()
              ? ExternalTools.runIn(folder, perf, "script", "-i", "perf.data")
              : ExternalTools.runIn(folder, perf, "script", "-i", "perf.data", "-F", fields);
      Reading reading = Formats.read(new ByteArrayInputStream(text.getBytes(UTF_8)));
      try (Recording recording = reading.recording()) {
        long read = recording.profiles().stream().mapToLong(profile -> profile.total(0)).sum();
        assertThat(read).as("%s -F %s", options, fields).isEqualTo(samples);
        Set<String> comms = new TreeSet<>();
        for (Profile profile : recording.profiles()) {
          profile.threads().forEach(thread -> comms.add(thread.comm()));
        }
        comms.removeAll(List.of("perf", "perf-exec", "names"));
        assertThat(comms).as("%s -F %s", options, fields).hasSameElementsAs(COMMS);
        assertThat(reading.warnings()).as("%s -F %s", options, fields).isEmpty();
      }
    }
  }

  private static long samples(String statistics) {
    Matcher matcher = Pattern.compile("SAMPLE events: +(\\d+)").matcher(statistics);
    assertThat(matcher.find()).as(statistics).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  @Test
  void withoutATimeNorAPeriodSamplesCount() throws Exception {
    String text =
        """
                 swapper     0 [000]          cpu-clock:  ffffffff821f1eab halt+0xb ([kernel.kallsyms])
             rcu_preempt    15 [001] sched:sched_switch: prev_comm=rcu_preempt ==> next_pid=0
                 swapper     0 [000]          cpu-clock:  ffffffff821f1eab halt+0xb ([kernel.kallsyms])
        """;
    try (Recording recording =
        Formats.read(new ByteArrayInputStream(text.getBytes(UTF_8))).recording()) {
      Profile cpu = recording.main();
      assertThat(cpu.types()).hasSize(1);
      assertThat(cpu.total(0)).isEqualTo(2);
      assertThat(cpu.timeline().size()).isZero();
      assertThat(recording.durationNanos()).isZero();
      assertThat(recording.profiles().get(1).total(1)).isEqualTo(1);
      assertThat(Arrays.stream(cpu.stacks().frameIds(cpu.stack(0)))).hasSize(1);
    }
  }

  @Test
  void noticesBesideSamplesAreNone() throws Exception {
    String text =
        """
                 swapper     0 [000]    0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1) @ 0]: x [k]
                   names    12 [000]    0.000000: PERF_RECORD_COMM exec: names:12/12
                   names    12 [000]    0.100000: PERF_RECORD_FORK(1:1):(0:0)
                   names    12 [000]    0.500000:     100000 cpu-clock:  55e8cb35615a burn (/x)
        """;
    try (Recording recording =
        Formats.read(new ByteArrayInputStream(text.getBytes(UTF_8))).recording()) {
      assertThat(recording.profiles()).hasSize(1);
      assertThat(recording.main().total(0)).isEqualTo(1);
    }
  }
}
