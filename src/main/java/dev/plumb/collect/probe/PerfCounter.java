package dev.plumb.collect.probe;

import dev.plumb.linux.perf.PerfEventAttr;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The events that {@code sw:} and {@code hw:} may name: perf's generic events, spelled as perf
 * does.
 */
public enum PerfCounter {
  PAGE_FAULTS(false, PerfEventAttr.SW_PAGE_FAULTS, "page-faults", "faults"),
  CONTEXT_SWITCHES(false, PerfEventAttr.SW_CONTEXT_SWITCHES, "context-switches", "cs"),
  CPU_MIGRATIONS(false, PerfEventAttr.SW_CPU_MIGRATIONS, "cpu-migrations", "migrations"),
  MINOR_FAULTS(false, PerfEventAttr.SW_PAGE_FAULTS_MIN, "minor-faults"),
  MAJOR_FAULTS(false, PerfEventAttr.SW_PAGE_FAULTS_MAJ, "major-faults"),
  ALIGNMENT_FAULTS(false, 7, "alignment-faults"),
  EMULATION_FAULTS(false, 8, "emulation-faults"),
  CPU_CLOCK(false, PerfEventAttr.SW_CPU_CLOCK, "cpu-clock"),
  TASK_CLOCK(false, PerfEventAttr.SW_TASK_CLOCK, "task-clock"),
  CGROUP_SWITCHES(false, 11, "cgroup-switches"),
  CYCLES(true, PerfEventAttr.HW_CPU_CYCLES, "cycles", "cpu-cycles"),
  INSTRUCTIONS(true, PerfEventAttr.HW_INSTRUCTIONS, "instructions"),
  CACHE_REFERENCES(true, PerfEventAttr.HW_CACHE_REFERENCES, "cache-references"),
  CACHE_MISSES(true, PerfEventAttr.HW_CACHE_MISSES, "cache-misses"),
  BRANCHES(true, PerfEventAttr.HW_BRANCH_INSTRUCTIONS, "branches", "branch-instructions"),
  BRANCH_MISSES(true, PerfEventAttr.HW_BRANCH_MISSES, "branch-misses"),
  BUS_CYCLES(true, 6, "bus-cycles"),
  STALLED_FRONTEND(true, 7, "stalled-cycles-frontend"),
  STALLED_BACKEND(true, 8, "stalled-cycles-backend"),
  REF_CYCLES(true, 9, "ref-cycles");

  private final boolean hardware;
  private final int number;
  private final List<String> spellings;

  PerfCounter(boolean hardware, int number, String... spellings) {
    this.hardware = hardware;
    this.number = number;
    this.spellings = List.of(spellings);
  }

  static Optional<PerfCounter> named(boolean hardware, String name) {
    return Arrays.stream(values())
        .filter(c -> c.hardware == hardware && c.spellings.contains(name))
        .findFirst();
  }

  static List<String> names(boolean hardware) {
    return Arrays.stream(values())
        .filter(c -> c.hardware == hardware)
        .map(c -> c.spellings.getFirst())
        .toList();
  }

  public boolean isHardware() {
    return hardware;
  }

  /** Whether there are so many that they are sampled by time rather than counted one by one. */
  public boolean isFrequent() {
    return hardware || this == CPU_CLOCK || this == TASK_CLOCK;
  }

  public String text() {
    return (hardware ? "hw:" : "sw:") + spellings.getFirst();
  }

  /** The event, without a period. */
  public PerfEventAttr attr() {
    return hardware ? PerfEventAttr.hardware(number) : PerfEventAttr.software(number);
  }
}
