package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfWriter;
import dev.plumb.bpf.btf.CoreRelocator;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.elf.ElfFile;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an object file asks for: maps, programs, settings. Made without a system call, so the same
 * on every machine; changed before the load; not changed by it, so it can be loaded again.
 */
public final class CollectionSpec {
  private final Btf btf;
  private final BtfWriter kernelTypes;
  private final Map<String, MapSpec> maps;
  private final Map<String, ProgramSpec> programs;
  private final Map<String, VariableSpec> variables;
  private final List<Extern> externs;
  private final String license;
  private final int version;

  /** With answers that were found ahead; null if none were. */
  private CoreRelocator relocator;

  CollectionSpec(
      Btf btf,
      BtfWriter kernelTypes,
      Map<String, MapSpec> maps,
      Map<String, ProgramSpec> programs,
      Map<String, VariableSpec> variables,
      List<Extern> externs,
      String license,
      int version) {
    this.btf = btf;
    this.kernelTypes = kernelTypes;
    this.maps = maps;
    this.programs = programs;
    this.variables = variables;
    this.externs = externs;
    this.license = license;
    this.version = version;
  }

  /** Reads a BPF object; the file may be closed afterwards. */
  public static CollectionSpec of(ElfFile elf) {
    return ObjectReader.read(elf);
  }

  /** Sets a number or a bool: a {@code const volatile} setting, or the start value of a global. */
  public CollectionSpec setVariable(String name, long value) {
    variable(name).set(value);
    return this;
  }

  public CollectionSpec setVariable(String name, boolean value) {
    return setVariable(name, value ? 1 : 0);
  }

  /** Sets all bytes of a variable of any type. */
  public CollectionSpec setVariable(String name, byte[] value) {
    variable(name).set(value);
    return this;
  }

  public VariableSpec variable(String name) {
    return found(variables, name, "variable");
  }

  /** A map by its C name, or a data section by its own. */
  public MapSpec map(String name) {
    return found(maps, name, "map");
  }

  public ProgramSpec program(String name) {
    return found(programs, name, "program");
  }

  public Map<String, MapSpec> maps() {
    return java.util.Collections.unmodifiableMap(maps);
  }

  public Map<String, ProgramSpec> programs() {
    return java.util.Collections.unmodifiableMap(programs);
  }

  public Map<String, VariableSpec> variables() {
    return java.util.Collections.unmodifiableMap(variables);
  }

  public String license() {
    return license;
  }

  /** The object's own types. */
  public Btf types() {
    return btf;
  }

  public BtfWriter kernelTypes() {
    return kernelTypes;
  }

  /**
   * Answers ahead what the object asks of the kernel's types: a load by the same types need not any
   * more. Not while it is loaded.
   */
  public void relocateAhead(KernelTypes types) {
    CoreRelocator ahead = new CoreRelocator(btf, types);
    for (ProgramSpec program : programs.values()) {
      ProgramLinker.reached(program.code())
          .forEach(function -> function.coreRelocations().forEach(ahead::answer));
    }
    relocator = ahead;
  }

  public CoreRelocator relocator(KernelTypes types) {
    return relocator != null && relocator.types() == types
        ? relocator
        : new CoreRelocator(btf, types);
  }

  public List<Extern> externs() {
    return externs;
  }

  /** LINUX_VERSION_CODE that the object wants to be loaded with, or 0. */
  public int version() {
    return version;
  }

  private static <T> T found(Map<String, T> all, String name, String what) {
    return Optional.ofNullable(all.get(name))
        .orElseThrow(
            () -> new BpfException("there is no " + what + " " + name + ", only " + all.keySet()));
  }
}
