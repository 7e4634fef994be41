package dev.plumb.bpf;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.TypeCompatibility;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.bpf.object.Extern;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.ProgramLinker;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Finds what externs are on this machine: configuration, kernel symbols, kernel functions. */
final class ExternResolver {
  private final CollectionSpec spec;
  private final ModuleTypes modules;
  private final Map<String, ProgramLinker.Resolved> resolved = new HashMap<>();
  private final Optional<MapSpec> configMap;
  private Map<String, Long> symbols;

  ExternResolver(CollectionSpec spec, ModuleTypes modules) {
    this.spec = spec;
    this.modules = modules;
    this.configMap = KernelConfig.map(spec.types(), spec.externs());
  }

  /** The {@code .kconfig} map with its values, if the object asks for any. */
  Optional<MapSpec> configMap() {
    return configMap;
  }

  ProgramLinker.Resolved resolve(Extern extern) {
    ProgramLinker.Resolved known = resolved.get(extern.name());
    if (known == null) {
      known =
          switch (extern.kind()) {
            case Extern.Config config ->
                new ProgramLinker.Resolved.Config(configMap.orElseThrow(), config.offset());
            case Extern.Symbol(int type) when type == 0 -> address(extern);
            case Extern.Symbol(int type) -> variable(extern, type);
            case Extern.KernelFunction(int type) -> function(extern, type);
          };
      resolved.put(extern.name(), known);
    }
    return known;
  }

  private ProgramLinker.Resolved address(Extern extern) {
    if (symbols == null) {
      symbols =
          KernelSymbols.addresses(
              spec.externs().stream()
                  .filter(e -> e.kind().equals(new Extern.Symbol(0)))
                  .map(Extern::name)
                  .toList());
    }
    Long address = symbols.get(extern.name());
    if (address == null) {
      return missing(extern, "symbol");
    }
    return new ProgramLinker.Resolved.Address(address);
  }

  private ProgramLinker.Resolved variable(Extern extern, int localType) {
    Optional<ModuleTypes.Found> found = modules.find(extern.name(), BtfKind.VAR);
    if (found.isEmpty()) {
      return missing(extern, "variable in its types");
    }
    Btf btf = types(found.get());
    checkType(extern, localType, btf, btf.skipModifiers(btf.target(found.get().id())));
    return new ProgramLinker.Resolved.Typed(found.get().id(), found.get().fd());
  }

  private ProgramLinker.Resolved function(Extern extern, int localType) {
    Optional<ModuleTypes.Found> found = modules.find(extern.name(), BtfKind.FUNC);
    if (found.isEmpty()) {
      return missing(extern, "function in its types");
    }
    Btf btf = types(found.get());
    checkType(extern, spec.types().target(localType), btf, btf.target(found.get().id()));
    return new ProgramLinker.Resolved.Typed(found.get().id(), found.get().fd());
  }

  private Btf types(ModuleTypes.Found found) {
    return found.inModule() ? found.module().types() : modules.types().kernel();
  }

  private void checkType(Extern extern, int localType, Btf btf, int type) {
    if (!TypeCompatibility.compatible(spec.types(), localType, btf, type)) {
      throw new BpfException(
          extern.name()
              + " is "
              + btf.describe(type)
              + " in this kernel, not "
              + spec.types().describe(localType));
    }
  }

  private static ProgramLinker.Resolved missing(Extern extern, String what) {
    if (extern.weak()) {
      return new ProgramLinker.Resolved.Missing();
    }
    throw new BpfException("this kernel has no " + what + " named " + extern.name());
  }
}
