package dev.plumb.collect.probe;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Feature;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.code.NameSuggestions;
import dev.plumb.collect.code.ProbeException;
import dev.plumb.collect.kernel.KernelFunctions;
import dev.plumb.collect.options.ModeException;
import dev.plumb.collect.probe.ProbeSpec.KernelWay;
import java.util.ArrayList;
import java.util.List;

/** A kernel function, by fentry or by kprobe. */
final class KernelPoints implements ProbePoints {
  /** The most arguments that come in registers. */
  private static final int WORDS = 6;

  private final ProbeSpec.KernelFunction function;
  private final boolean fentry;

  private KernelPoints(ProbeSpec.KernelFunction function, boolean fentry) {
    this.function = function;
    this.fentry = fentry;
  }

  static List<ProbePoints> of(ProbeSpec.KernelFunction function) {
    if (!KernelFunctions.exists(function.function())) {
      throw new ProbeException(
          "this kernel has no function '%s'%s"
              .formatted(
                  function.function(),
                  NameSuggestions.hint(function.function(), KernelFunctions.names())));
    }
    List<ProbePoints> ways = new ArrayList<>();
    if (function.way() != KernelWay.KPROBE && Feature.FENTRY.present()) {
      ways.add(new KernelPoints(function, true));
    }
    if (function.way() != KernelWay.FENTRY && Feature.KPROBE.present()) {
      ways.add(new KernelPoints(function, false));
    }
    if (ways.isEmpty()) {
      throw new ModeException(refusal(function));
    }
    return ways;
  }

  private static String refusal(ProbeSpec.KernelFunction function) {
    String missing =
        switch (function.way()) {
          case KPROBE -> "kprobes (CONFIG_KPROBES)";
          case FENTRY -> "BPF at function entries (CONFIG_DYNAMIC_FTRACE, CONFIG_DEBUG_INFO_BTF)";
          case ANY -> "kprobes and no BPF at function entries (CONFIG_KPROBES)";
        };
    String other =
        function.way() == KernelWay.KPROBE && Feature.FENTRY.present()
            ? "fentry:" + function.function() + " is possible"
            : function.way() == KernelWay.FENTRY && Feature.KPROBE.present()
                ? "kprobe:" + function.function() + " is possible"
                : "watch a tracepoint (`plumb list events`) or a system call (syscall:NAME)";
    return "this kernel has no %s; %s".formatted(missing, other);
  }

  @Override
  public List<ProbeArguments> scopes() {
    return List.of(
        fentry
            ? ProbeArguments.ofWords(function.function(), WORDS)
            : ProbeArguments.ofFunction(function.function()));
  }

  @Override
  public void prepare(CollectionSpec spec) {
    if (fentry) {
      spec.program("on_fentry").attachTarget(function.function()).autoload(true);
      spec.program("on_fexit").attachTarget(function.function()).autoload(function.timed());
    } else {
      spec.program("on_kprobe").autoload(true);
      spec.program("on_kretprobe").autoload(function.timed());
    }
  }

  @Override
  public void attach(
      Collection programs, int[] points, long[] cookies, List<AutoCloseable> attached) {
    String name = function.function();
    if (function.timed()) {
      attached.add(
          fentry
              ? Links.tracing(programs.program("on_fexit"))
              : Links.kprobe(programs.program("on_kretprobe"), name, true));
    }
    attached.add(
        fentry
            ? Links.tracing(programs.program("on_fentry"))
            : Links.kprobe(programs.program("on_kprobe"), name, false));
  }
}
