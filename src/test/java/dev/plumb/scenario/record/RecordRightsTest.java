package dev.plumb.scenario.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.testing.Folded;
import dev.plumb.testing.Installation;
import dev.plumb.testing.Installation.Result;
import dev.plumb.testing.PlumbCommand;
import dev.plumb.testing.Programs;
import dev.plumb.testing.RequiresRoot;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Less than root, and kernels or containers with less: what is possible works, else it says why.
 */
@RequiresRoot
class RecordRightsTest {
  @TempDir static Path home;
  private static Installation plumb;
  private static Path folder;

  @BeforeAll
  static void install() {
    plumb = Installation.in(home);
    folder = plumb.publicFolder("work");
  }

  @Test
  void nobodySeesEveryCapabilityThatIsMissing() {
    Result result = plumb.behind(nobody(""), "record", "-d", "1", "-o", out("n").toString());
    assertThat(result.code()).isEqualTo(3);
    PlumbCommand.assertOneLine(
        result.err(), "not permitted: CAP_BPF and CAP_PERFMON are missing; run as root");
    assertThat(out("n")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"+perfmon +sys_ptrace, CAP_BPF", "+bpf +sys_ptrace, CAP_PERFMON"})
  void oneThatIsMissingIsNamed(String held, String missing) {
    Result result =
        plumb.behind(
            nobody(held.replace(' ', ',')), "record", "-d", "1", "-o", out("m").toString());
    assertThat(result.code()).isEqualTo(3);
    PlumbCommand.assertOneLine(result.err(), "not permitted: " + missing + " is missing; ");
    assertThat(result.err()).contains("plumb doctor");
  }

  @Test
  void threeCapabilitiesSuffice() {
    Path spinner = Programs.compiled("spinner");
    Path file = out("three");
    try (Programs.Running running = Programs.start(spinner, "50", "1", "600")) {
      Result result =
          plumb.behind(
              nobody("+bpf,+perfmon,+sys_ptrace"),
              "record",
              "-F",
              "499",
              "-d",
              "1",
              "-p",
              "" + running.pid(),
              "-o",
              file.toString());
      assertThat(result.code()).as(result.err()).isZero();
    }
    Folded folded = Folded.read(file);
    assertThat(folded.with("spin_a") + folded.with("spin_b"))
        .as("another user's program, by name")
        .isGreaterThan(folded.total() / 2);
  }

  @Test
  void whatMissingCapabilitiesCostIsSaid() {
    Result some =
        plumb.behind(nobody("+bpf,+perfmon"), "record", "-d", "1", "-o", out("two").toString());
    assertThat(some.code()).as(some.err()).isZero();
    assertThat(some.err())
        .contains("CAP_SYS_PTRACE is missing: functions in other users' processes have no names")
        .contains(
            "CAP_DAC_READ_SEARCH is missing: functions in files that only other users may read have no names")
        .contains("CAP_SYSLOG is missing: kernel functions have no names");
    Result all = plumb.plumb("record", "-d", "1", "-o", out("all").toString());
    assertThat(all.code()).as(all.err()).isZero();
    assertThat(all.err()).doesNotContain("is missing");
  }

  @Test
  void doctorSaysWhatIsMissingAndWhatItCosts() {
    Result result = plumb.behind(nobody("+perfmon"), "doctor");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out())
        .containsPattern("MISSING +CAP_BPF +not held; effect: no BPF program can be loaded")
        .containsPattern("OK +CAP_PERFMON +held")
        .containsPattern("MISSING +BPF features +cannot be tested without CAP_BPF")
        .doesNotContain("came with Linux");
    assertThat(result.err()).isEmpty();
    assertThat(plumb.plumb("doctor").code()).isZero();
  }

  @Test
  void withoutTheKernelsTypes() {
    List<String> hidden =
        List.of(
            "unshare",
            "-m",
            "sh",
            "-c",
            "mount -t tmpfs none /sys/kernel/btf && exec \"$@\"",
            "sh");
    Result result = plumb.behind(hidden, "record", "-d", "1", "-o", out("btf").toString());
    assertThat(result.code()).isEqualTo(3);
    PlumbCommand.assertOneLine(result.err(), "/sys/kernel/btf/vmlinux: ENOENT");
    assertThat(result.err()).contains("CONFIG_DEBUG_INFO_BTF");
    Result doctor = plumb.behind(hidden, "doctor");
    assertThat(doctor.code()).isEqualTo(3);
    assertThat(doctor.out()).containsPattern("MISSING +kernel types \\(BTF\\) +none");
  }

  /** Root there has all capabilities, but not for the kernel. */
  @Test
  void inAUserNamespace() {
    Result result =
        plumb.behind(
            List.of("unshare", "-U", "-r"), "record", "-d", "1", "-o", out("user").toString());
    assertThat(result.code()).isEqualTo(3);
    PlumbCommand.assertOneLine(result.err(), "not permitted: in a separate user namespace");
  }

  /**
   * A number that is one process inside is another one outside: no name is better than a wrong one.
   * So a process inside gets the number that the busy one has outside.
   */
  @Test
  void inAPidNamespace() {
    Path spinner = Programs.compiled("spinner");
    Path file = out("pid");
    try (Programs.Running running = Programs.start(spinner, "50", "1", "600")) {
      List<String> namesake = new ArrayList<>(inPidNamespace());
      namesake.addAll(
          List.of(
              "sh",
              "-c",
              "echo %d > /proc/sys/kernel/ns_last_pid; sleep 60 & test $! = %d && exec \"$@\""
                  .formatted(running.pid() - 1, running.pid()),
              "sh"));
      Result all = plumb.behind(namesake, "record", "-F", "499", "-d", "1", "-o", file.toString());
      assertThat(all.code()).as(all.err()).isZero();
      assertThat(all.err()).doesNotContain("Exception");
      Folded folded = Folded.read(file);
      assertThat(folded.lines().stream().map(line -> line.frames().getFirst()))
          .as("processes by number, as the kernel numbers them")
          .allMatch(name -> name.matches("\\[\\d+\\]"))
          .contains("[" + running.pid() + "]");
    }
    Result doctor = plumb.behind(inPidNamespace(), "doctor");
    assertThat(doctor.out())
        .containsPattern("no +pid namespace +separate; effect: pids differ")
        .contains("--pid=host");
  }

  @ParameterizedTest
  @CsvSource({"-p 1", "-t 1", "--pgid 1", "--pidns 1", "-- true"})
  void inAPidNamespaceNumbersMeanNothing(String target) {
    List<String> args =
        new ArrayList<>(List.of("record", "-d", "1", "-o", out("pid-p").toString()));
    args.addAll(List.of(target.split(" ")));
    Result result = plumb.behind(inPidNamespace(), args.toArray(String[]::new));
    assertThat(result.code()).isEqualTo(3);
    PlumbCommand.assertOneLine(result.err(), "is not possible in a separate pid namespace");
    assertThat(result.err()).contains("--pid=host");
  }

  private static List<String> inPidNamespace() {
    return List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc");
  }

  /** A user without any rights but these capabilities, e.g. {@code +bpf,+perfmon}. */
  private static List<String> nobody(String capabilities) {
    List<String> command =
        new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
    if (!capabilities.isEmpty()) {
      command.add("--inh-caps=" + capabilities);
      command.add("--ambient-caps=" + capabilities);
    }
    return command;
  }

  private static Path out(String name) {
    return folder.resolve(name + ".folded");
  }
}
