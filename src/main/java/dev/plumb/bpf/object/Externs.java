package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.error.BpfException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The externs that an object's BTF declares in {@code .kconfig} and {@code .ksyms}. */
public final class Externs {
  public static final String KCONFIG = ".kconfig";
  private static final String KSYMS = ".ksyms";

  private final Btf btf;
  private final Map<String, Extern> declared = new LinkedHashMap<>();

  private record ConfigVariable(String name, int type, int size, int alignment) {}

  Externs(Btf btf) {
    this.btf = btf;
  }

  void read() {
    int config = btf.find(KCONFIG, BtfKind.DATASEC);
    if (config > 0) {
      readConfig(config);
    }
    int symbols = btf.find(KSYMS, BtfKind.DATASEC);
    if (symbols > 0) {
      readSymbols(symbols);
    }
  }

  /** Larger alignments first, so that the variables lie without gaps. */
  private void readConfig(int section) {
    List<ConfigVariable> variables = new ArrayList<>();
    for (int i = 0; i < btf.length(section); i++) {
      int variable = btf.sectionVariable(section, i);
      int type = btf.skipModifiers(btf.target(variable));
      variables.add(
          new ConfigVariable(btf.name(variable), type, (int) btf.sizeOf(type), alignment(type, 0)));
    }
    variables.sort(
        Comparator.comparing(ConfigVariable::alignment, Comparator.reverseOrder())
            .thenComparing(ConfigVariable::size)
            .thenComparing(ConfigVariable::name));
    long offset = 0;
    for (ConfigVariable v : variables) {
      offset = (offset + v.alignment - 1) / v.alignment * v.alignment;
      if (offset + v.size > 1 << 20) {
        throw new BpfException(KCONFIG + " is too large");
      }
      declared.put(
          v.name, new Extern(v.name, false, new Extern.Config(v.type, v.size, (int) offset)));
      offset += v.size;
    }
  }

  private int alignment(int type, int depth) {
    int id = btf.skipModifiers(type);
    return switch (btf.kind(id)) {
      case BtfKind.INT, BtfKind.ENUM, BtfKind.ENUM64 -> Math.clamp(btf.statedSize(id), 1, 8);
      case BtfKind.PTR -> 8;
      case BtfKind.ARRAY -> depth > 8 ? 8 : alignment(btf.arrayElement(id), depth + 1);
      default ->
          throw new BpfException(KCONFIG + ": " + btf.describe(id) + " cannot be configured");
    };
  }

  private void readSymbols(int section) {
    for (int i = 0; i < btf.length(section); i++) {
      int id = btf.sectionVariable(section, i);
      String name = btf.name(id);
      Extern.Kind kind =
          btf.kind(id) == BtfKind.FUNC
              ? new Extern.KernelFunction(id)
              : new Extern.Symbol(btf.skipModifiers(btf.target(id)));
      declared.put(name, new Extern(name, false, kind));
    }
  }

  /** The extern that an undefined symbol means; whether it is weak, only the symbol says. */
  Extern use(String name, boolean weak) {
    Extern extern = declared.get(name);
    if (extern == null) {
      throw new BpfException(
          "undefined symbol " + name + ", which is neither __kconfig nor __ksym");
    }
    if (extern.weak() != weak) {
      extern = new Extern(name, weak, extern.kind());
      declared.put(name, extern);
    }
    return extern;
  }

  /** Puts the places of configuration variables to those of others; returns the bytes of all. */
  int configPlaces(Map<String, Integer> places) {
    int size = 0;
    for (Extern extern : declared.values()) {
      if (extern.kind() instanceof Extern.Config config) {
        places.put(extern.name(), config.offset());
        size = Math.max(size, config.offset() + config.size());
      }
    }
    return size;
  }

  List<Extern> all() {
    return List.copyOf(declared.values());
  }
}
