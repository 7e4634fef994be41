package dev.plumb.scenario.mode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.linux.Fd;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probes that cannot be: one line that says what to do, and the right exit code. */
@RequiresRoot
class ProbeErrorsTest {
  @TempDir Path folder;

  private PlumbCommand.Result record(String... words) {
    String[] all = new String[words.length + 5];
    all[0] = "record";
    System.arraycopy(words, 0, all, 1, words.length);
    all[words.length + 1] = "-o";
    all[words.length + 2] = folder.resolve("out.folded").toString();
    all[words.length + 3] = "-d";
    all[words.length + 4] = "1";
    return PlumbCommand.run(all);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "event:sched:sched_swich | did you mean sched_switch",
        "event:shced:sched_switch | did you mean sched:sched_switch",
        "event:nothing:here | plumb list events",
        "event:sched | write event:CATEGORY:NAME",
        "t:sched:sched_swich | did you mean sched_switch",
        "syscall:raed | did you mean read",
        "uprobe:libc.so.6:mallok | did you mean malloc",
        "uprobe:libc.so.6:memcpy | picks one of several functions",
        "uprobe:libc.so.6:* | at most 1000",
        "uprobe:libnothing.so:f | write its path",
        "uprobe:/no/such/file:f | no such file",
        "uprobe:/etc/passwd:f | not an ELF file",
        "usdt:/bin/true:a:b | has no USDT probes",
        "kprobe:vfs_raed | did you mean vfs_read",
        "vfs_raed | unknown mode 'vfs_raed'",
        "ofcpu | use cpu, offcpu, wall",
        "sw:page-fault | page-faults",
        "hw:cycle | cycles",
        "nokind:a:b | event:CATEGORY:NAME",
      })
  void saysWhatToWrite(String probe, String remedy) {
    PlumbCommand.Result result = record(probe);
    assertThat(result.err()).contains(remedy);
    assertThat(result.err().strip().lines()).hasSize(1);
    assertThat(result.code()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--args | nothing | sched_process_exec has no argument 'nothing'",
        "--args | nothing | it has filename, pid, old_pid",
        "--filter | pid == | expected a number or a string after pid ==",
        "--filter | pid == x | pid is a number",
        "--filter | filename == 4 | filename is a text",
        "--filter | nobody == 4 | has no argument 'nobody'",
      })
  void argumentsAndFilters(String option, String value, String remedy) {
    PlumbCommand.Result result = record("event:sched:sched_process_exec", option, value);
    assertThat(result.err()).contains(remedy);
    assertThat(result.code()).isEqualTo(2);
  }

  private static boolean hasPmu() {
    long fd = PerfEvent.tryOpen(PerfEventAttr.hardware(PerfEventAttr.HW_CPU_CYCLES), 0, -1);
    if (fd >= 0) {
      new Fd((int) fd).close();
    }
    return fd >= 0;
  }

  @Test
  @DisabledIf("hasPmu")
  void withoutHardwareCountersOthersGoOn() {
    PlumbCommand.Result alone = record("hw:cycles");
    assertThat(alone.code()).isEqualTo(3);
    assertThat(alone.err()).contains("this machine has no such hardware counter").contains("cpu");
    PlumbCommand.Result both =
        PlumbCommand.run(
            "record",
            "hw:cache-misses",
            "sw:page-faults",
            "-o",
            folder.resolve("out.plumb").toString(),
            "--",
            Programs.compiled("probes").toString(),
            "fault",
            "10");
    assertThat(both.code()).isZero();
    assertThat(both.err()).contains("hw:cache-misses: this machine has no such hardware counter");
  }
}
