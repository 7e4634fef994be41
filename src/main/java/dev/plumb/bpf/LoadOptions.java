package dev.plumb.bpf;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.KernelTypes;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How to load a collection.
 *
 * @param kernelTypes the kernel's BTF; share one between loads, for it is read once
 * @param relocationTypes what CO-RE relocates by: the same, unless somebody wants to see what would
 *     become of a program elsewhere
 * @param log gets the verifier's log of each program; empty to ask for none
 * @param shared maps that exist already: used by name instead of new ones
 */
public record LoadOptions(
    KernelTypes kernelTypes,
    KernelTypes relocationTypes,
    Optional<Consumer<String>> log,
    Map<String, BpfMap> shared) {
  /** By the running kernel's types, which are read anew; no log. */
  public static LoadOptions defaults() {
    return of(KernelTypes.running());
  }

  public static LoadOptions of(KernelTypes types) {
    return new LoadOptions(types, types, Optional.empty(), Map.of());
  }

  /** Relocates by other types than the kernel's. */
  public LoadOptions relocateBy(Btf types) {
    return new LoadOptions(kernelTypes, KernelTypes.of(types), log, shared);
  }

  /** Asks the verifier for its log, also of programs that it takes. */
  public LoadOptions verbose(Consumer<String> sink) {
    return new LoadOptions(kernelTypes, relocationTypes, Optional.of(sink), shared);
  }

  /** Uses these maps wherever the object defines one of the same name. */
  public LoadOptions sharing(Map<String, BpfMap> maps) {
    return new LoadOptions(kernelTypes, relocationTypes, log, Map.copyOf(maps));
  }
}
