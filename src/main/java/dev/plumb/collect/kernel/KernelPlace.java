package dev.plumb.collect.kernel;

import dev.plumb.bpf.Feature;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.object.CollectionSpec;
import java.util.List;
import java.util.Optional;

/**
 * A place to watch: a tracepoint, or, in older kernels, the function that does the same.
 *
 * @param function empty if no function can replace the tracepoint
 */
public record KernelPlace(
    String tracepoint, String program, String function, String functionProgram) {
  public static KernelPlace ofTracepoint(String tracepoint, String program) {
    return new KernelPlace(tracepoint, program, "", "");
  }

  public static KernelPlace ofSameName(String name, String program) {
    return new KernelPlace(name, "on_" + program, name, "at_" + program);
  }

  boolean hasTracepoint() {
    return KernelTracepoints.exists(tracepoint);
  }

  private boolean hasFunction() {
    return !function.isEmpty() && KernelTracepoints.hasFunction(function);
  }

  boolean isPossible() {
    return hasTracepoint() || hasFunction() && Feature.FENTRY.present();
  }

  public Probe probe() {
    return hasTracepoint()
        ? Probe.tracepoint(tracepoint, program + "_btf", program + "_raw")
        : new Probe(
            function,
            List.of(
                new Probe.Way(functionProgram, c -> Links.tracing(c.program(functionProgram)))));
  }

  /** Which of these places this kernel lacks; empty if none. */
  public static Optional<String> missing(List<KernelPlace> places) {
    return places.stream()
        .filter(place -> !place.isPossible())
        .findFirst()
        .map(KernelPlace::whatIsMissing);
  }

  private String whatIsMissing() {
    String instead =
        hasFunction()
            ? " and no BPF at function entries (CONFIG_DYNAMIC_FTRACE)"
            : function.isEmpty() ? "" : " and no function " + function;
    return "this kernel has no tracepoint " + tracepoint + instead;
  }

  /** Leaves out the programs of tracepoints that this kernel lacks. */
  public static void settings(List<KernelPlace> places, CollectionSpec spec) {
    for (KernelPlace place : places) {
      if (!place.hasTracepoint()) {
        spec.program(place.program() + "_btf").autoload(false);
      }
    }
  }
}
