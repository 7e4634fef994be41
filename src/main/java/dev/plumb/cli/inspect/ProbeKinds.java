package dev.plumb.cli.inspect;

import dev.plumb.bpf.Feature;
import dev.plumb.cli.text.TextTable;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;

/**
 * The kinds of probes that {@code record} takes besides modes, and whether they are possible here.
 */
enum ProbeKinds {
  EVENT("event:CATEGORY:NAME", "a tracepoint; see `plumb list events`", "count"),
  SYSCALL("syscall:NAME", "a system call, until it returns", "count, time"),
  UPROBE("uprobe:LIB:FUNCTION", "calls of a program's function; see `plumb list probes`", "count") {
    @Override
    String here() {
      return Feature.UPROBE.present() ? "yes" : "no: this kernel has no uprobes";
    }
  },
  URETPROBE("uretprobe:LIB:FUNCTION", "the same, until it returns", "count, time") {
    @Override
    String here() {
      return UPROBE.here();
    }
  },
  USDT("usdt:LIB:PROVIDER:NAME", "a probe built into a program", "count") {
    @Override
    String here() {
      return UPROBE.here();
    }
  },
  KPROBE("kprobe: or kretprobe:FUNCTION", "a kernel function", "count; count, time") {
    @Override
    String here() {
      return Feature.KPROBE.present() ? "yes" : "no: this kernel has no kprobes";
    }
  },
  FENTRY("fentry: or fexit:FUNCTION", "the same, at less cost", "count; count, time") {
    @Override
    String here() {
      return Feature.FENTRY.present() ? "yes" : "no: this kernel has no BPF at function entries";
    }
  },
  SOFTWARE("sw:NAME", "the kernel's counters, such as page-faults, context-switches", "count"),
  HARDWARE(
      "hw:NAME", "the CPU's counters, such as cycles, cache-misses; sampled", "samples, NAME") {
    @Override
    String here() {
      PerfEventAttr cycles = PerfEventAttr.hardware(PerfEventAttr.HW_CPU_CYCLES);
      long fd = PerfEvent.tryOpen(cycles, 0, PerfEvent.ANY_CPU);
      if (fd < 0) {
        return fd == -Errno.EACCES ? "no: not permitted" : "no: this machine has no such counters";
      }
      new Fd((int) fd).close();
      return "yes";
    }
  };

  private final String form;
  private final String what;
  private final String values;

  ProbeKinds(String form, String what, String values) {
    this.form = form;
    this.what = what;
    this.values = values;
  }

  String here() {
    return "yes";
  }

  static void list(TextTable table) {
    for (ProbeKinds kind : values()) {
      table.row(kind.form, kind.here(), kind.what, kind.values);
    }
  }
}
