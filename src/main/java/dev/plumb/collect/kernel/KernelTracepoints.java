package dev.plumb.collect.kernel;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;

/** The tracepoints of the running kernel: its BTF has a type {@code btf_trace_NAME} for each. */
public final class KernelTracepoints {
  private KernelTracepoints() {}

  public static boolean exists(String name) {
    return find(KernelTypes.running().kernel(), name) > 0;
  }

  /** Whether there is a function that programs can be attached to. */
  public static boolean hasFunction(String name) {
    return KernelTypes.running().kernel().find(name, BtfKind.FUNC) > 0;
  }

  /** How many arguments programs get; 0 if there is no such tracepoint. */
  public static int arguments(String name) {
    Btf kernel = KernelTypes.running().kernel();
    int typedef = find(kernel, name);
    if (typedef <= 0) {
      return 0;
    }
    // typedef void (*btf_trace_NAME)(void *, arguments…)
    int function = kernel.target(kernel.target(typedef));
    return kernel.kind(function) == BtfKind.FUNC_PROTO ? kernel.length(function) - 1 : 0;
  }

  private static int find(Btf kernel, String name) {
    return kernel.find("btf_trace_" + name, BtfKind.TYPEDEF);
  }
}
