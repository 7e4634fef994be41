package dev.plumb.collect.probe;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Feature;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.collect.options.Target;
import java.util.List;

/** The points that a probe stands for, and how programs of {@code probe.bpf.c} get there. */
interface ProbePoints {
  /** The name and the arguments of each point. */
  List<ProbeArguments> scopes();

  /** Whether events tell at which point they happened. */
  default boolean areToldApart() {
    return Feature.COOKIES.present();
  }

  /** Chooses the programs to load. */
  void prepare(CollectionSpec spec);

  /**
   * Attaches to some of the points; to the ends of calls first, so that no call is seen to begin
   * but not to end.
   *
   * @param points numbers into {@link #scopes}
   * @param cookies for each of these, or none where the kernel has no cookies
   */
  void attach(Collection programs, int[] points, long[] cookies, List<AutoCloseable> attached);

  /** What to try, best first. */
  static List<ProbePoints> of(ProbeSpec spec, Target target, int hertz) {
    return switch (spec) {
      case ProbeSpec.Event event -> List.of(EventPoints.of(event));
      case ProbeSpec.Syscall call -> List.of(EventPoints.of(call));
      case ProbeSpec.UserFunction function -> List.of(UserPoints.of(function, target));
      case ProbeSpec.Usdt usdt -> List.of(UserPoints.of(usdt, target));
      case ProbeSpec.KernelFunction function -> KernelPoints.of(function);
      case ProbeSpec.Counter counter -> List.of(new CounterPoints(counter.counter(), hertz));
    };
  }
}
