package dev.plumb.bpf;

import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What of a {@link CollectionSpec} is in the kernel: maps, programs, variables. */
public final class Collection implements AutoCloseable {
  private final Map<String, BpfMap> maps;
  private final Map<String, Program> programs;
  private final Map<String, Variable> variables = new LinkedHashMap<>();
  private boolean closed;

  Collection(CollectionSpec spec, Map<String, BpfMap> maps, Map<String, Program> programs) {
    this.maps = maps;
    this.programs = programs;
    spec.variables()
        .forEach(
            (name, variable) ->
                variables.put(name, new Variable(variable, maps.get(variable.section().name()))));
  }

  /** Makes the maps and loads the programs; if one of them fails, nothing stays. */
  public static Collection load(CollectionSpec spec, LoadOptions options) {
    return new Loader(spec, options).load();
  }

  public static Collection load(CollectionSpec spec) {
    return load(spec, LoadOptions.defaults());
  }

  /** A map by its C name, or a data section by its own. */
  public BpfMap map(String name) {
    return found(maps, name, "map");
  }

  public Program program(String name) {
    return found(programs, name, "loaded program");
  }

  /** A global variable, to read or to write while programs run. */
  public Variable variable(String name) {
    return found(variables, name, "variable");
  }

  public Map<String, BpfMap> maps() {
    return Collections.unmodifiableMap(maps);
  }

  public Map<String, Program> programs() {
    return Collections.unmodifiableMap(programs);
  }

  public Map<String, Variable> variables() {
    return Collections.unmodifiableMap(variables);
  }

  private static <T> T found(Map<String, T> all, String name, String what) {
    return Optional.ofNullable(all.get(name))
        .orElseThrow(
            () -> new BpfException("there is no " + what + " " + name + ", only " + all.keySet()));
  }

  /**
   * Events that its programs did not see because they came while a program was at work on that CPU;
   * 0 once it is closed. The kernel counts them since Linux 5.12, those of perf's tracepoints since
   * 6.7.
   */
  public long missedCalls() {
    long missed = 0;
    if (!closed) {
      for (Program program : programs.values()) {
        missed += program.statistics().missed();
      }
    }
    return missed;
  }

  public boolean isClosed() {
    return closed;
  }

  /** Closes maps and programs; what is attached by a link stays until the link is closed. */
  @Override
  public void close() {
    closed = true;
    programs.values().forEach(Program::close);
    maps.values().forEach(BpfMap::close);
  }
}
