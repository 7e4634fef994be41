package dev.plumb.cli.doctor;

import dev.plumb.bpf.Feature;
import dev.plumb.cli.options.Rights;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.kernel.Cpus;
import dev.plumb.linux.kernel.KernelFile;
import dev.plumb.linux.kernel.KernelVersion;
import dev.plumb.linux.kernel.Tracefs;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.linux.proc.Capabilities;
import dev.plumb.linux.proc.MountInfo;
import dev.plumb.linux.proc.ProcNamespaces;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.symbols.Symbolizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Looks at the machine, piece by piece. */
final class Examination {
  private static final List<Feature> NEEDED = List.of(Feature.RING_BUFFER);

  private final List<Finding> findings = new ArrayList<>();

  List<Finding> findings() {
    kernel();
    capabilities();
    mounts();
    events();
    symbols();
    features();
    return findings;
  }

  private void kernel() {
    KernelVersion version = KernelVersion.current();
    findings.add(
        Finding.of(
            version.isAtLeast(5, 10),
            "kernel",
            true,
            version.release() + ", " + System.getProperty("os.arch"),
            "nothing can be recorded",
            "Plumb needs Linux 5.10 or newer"));
    boolean btf = Files.isReadable(Path.of("/sys/kernel/btf/vmlinux"));
    findings.add(
        Finding.of(
            btf,
            "kernel types (BTF)",
            true,
            btf ? "/sys/kernel/btf/vmlinux" : "none",
            "nothing can be recorded",
            "boot a kernel with CONFIG_DEBUG_INFO_BTF=y"));
    String lockdown = KernelFile.read("/sys/kernel/security/lockdown").orElse("");
    Matcher mode = Pattern.compile("\\[(\\w+)]").matcher(lockdown);
    String level = mode.find() ? mode.group(1) : "unknown";
    findings.add(
        Finding.of(
            !level.equals("confidentiality"),
            "lockdown",
            true,
            level,
            "BPF programs may not read kernel memory",
            "boot with lockdown=integrity or none"));
    findings.add(
        Finding.fact(
            "CPUs", Cpus.online().length + " online of " + Cpus.possible().length + " possible"));
    findings.add(
        Finding.fact(
            "maximum sampling frequency",
            KernelFile.read("/proc/sys/kernel/perf_event_max_sample_rate").orElse("?")
                + " Hz (kernel.perf_event_max_sample_rate)"));
  }

  private void capabilities() {
    Capabilities held = Capabilities.effective();
    capability(held, "CAP_BPF", true, "no BPF program can be loaded");
    capability(held, "CAP_PERFMON", true, "no event can be opened for all processes");
    Rights.HELPFUL.forEach((name, cost) -> capability(held, name, false, cost));
    try (ProcReader reader = new ProcReader()) {
      namespace(
          reader,
          "user",
          true,
          "the kernel ignores capabilities: nothing can be recorded",
          "run plumb in the host's user namespace");
      namespace(
          reader,
          "pid",
          false,
          "pids differ from the kernel's: processes have no names, no -p, no -- COMMAND",
          "run plumb in the host's pid namespace (docker: --pid=host)");
    }
  }

  private void namespace(
      ProcReader reader, String kind, boolean needed, String cost, String remedy) {
    boolean hosts = ProcNamespaces.isHosts(reader, kind);
    String seen = hosts ? "the host's" : "separate";
    findings.add(Finding.of(hosts, kind + " namespace", needed, seen, cost, remedy));
  }

  private void capability(Capabilities held, String name, boolean needed, String cost) {
    boolean ok = held.grants(name);
    findings.add(
        Finding.of(ok, name, needed, ok ? "held" : "not held", cost, "run as root, or grant it"));
  }

  private void mounts() {
    try (ProcReader reader = new ProcReader()) {
      List<MountInfo> mounts = MountInfo.readOwn(reader);
      mount(mounts, "tracefs", "/sys/kernel/tracing", "no tracepoints by name");
      mount(mounts, "bpf", "/sys/fs/bpf", "none; Plumb does not need it");
      boolean v2 = mounts.stream().anyMatch(m -> m.type().equals("cgroup2"));
      boolean v1 = mounts.stream().anyMatch(m -> m.type().equals("cgroup"));
      findings.add(
          Finding.of(
              v1 || v2,
              "cgroups",
              false,
              v2 ? v1 ? "versions 1 and 2" : "version 2" : v1 ? "version 1" : "not mounted",
              "no -g",
              "mount -t cgroup2 none /sys/fs/cgroup"));
    }
  }

  private void mount(List<MountInfo> mounts, String type, String point, String cost) {
    Optional<MountInfo> found = mounts.stream().filter(m -> m.type().equals(type)).findFirst();
    findings.add(
        Finding.of(
            found.isPresent(),
            type,
            false,
            found.map(MountInfo::mountPoint).orElse("not mounted"),
            cost,
            "mount -t " + type + " none " + point));
  }

  private void events() {
    event(PerfEventAttr.software(PerfEventAttr.SW_CPU_CLOCK), "timer (cpu-clock)", true, "no cpu");
    event(
        PerfEventAttr.hardware(PerfEventAttr.HW_CPU_CYCLES),
        "hardware counters (PMU)",
        false,
        "no hardware events; cpu samples by the timer");
    int count = 0;
    try (Tracefs tracefs = Tracefs.open()) {
      for (String category : tracefs.categories()) {
        count += tracefs.events(category).size();
      }
      boolean sched = tracefs.eventId("sched", "sched_switch").isPresent();
      findings.add(
          Finding.of(
              sched,
              "tracepoints",
              false,
              count + ", sched_switch " + (sched ? "included" : "missing"),
              "no offcpu, no wall",
              "boot a kernel with CONFIG_FTRACE=y"));
    } catch (SyscallException e) {
      findings.add(
          Finding.of(
              false,
              "tracepoints",
              false,
              e.call() + ": " + Errno.name(e.errno()),
              "no tracepoints by name",
              "run as root"));
    }
  }

  private void event(PerfEventAttr attr, String what, boolean needed, String cost) {
    String seen = "can be opened";
    boolean ok = true;
    try (PerfEvent event = PerfEvent.open(attr, PerfEvent.ANY_PROCESS, Cpus.online()[0])) {
      event.read();
    } catch (SyscallException e) {
      ok = false;
      seen = Errno.name(e.errno());
    }
    findings.add(Finding.of(ok, what, needed, seen, cost, ""));
  }

  private void symbols() {
    try (Symbolizer symbolizer = new Symbolizer()) {
      Optional<String> problem = symbolizer.kernelProblem();
      findings.add(
          Finding.of(
              problem.isEmpty(),
              "kernel symbols",
              false,
              problem.orElse("/proc/kallsyms"),
              "kernel functions have no names",
              ""));
    }
  }

  private void features() {
    if (!Capabilities.effective().grants("CAP_BPF")) {
      findings.add(
          Finding.of(
              false,
              "BPF features",
              true,
              "cannot be tested without CAP_BPF",
              "",
              "run as root to see them"));
      return;
    }
    for (Feature feature : Feature.values()) {
      boolean has = feature.present();
      findings.add(
          Finding.of(
              has,
              feature.what(),
              NEEDED.contains(feature),
              has ? "yes" : "no",
              "",
              missing(feature.since())));
    }
  }

  private static String missing(String since) {
    String[] parts = since.split("\\.");
    return KernelVersion.current().isAtLeast(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]))
        ? "this kernel was built or configured without it"
        : "since Linux " + since;
  }
}
