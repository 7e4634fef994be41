package dev.plumb.collect.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfMap;
import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.LoadOptions;
import dev.plumb.bpf.Program;
import dev.plumb.bpf.btf.Btf;
import dev.plumb.bpf.btf.BtfKind;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.CollectionSpec;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.collect.options.CgroupTarget;
import dev.plumb.collect.options.StackOptions;
import dev.plumb.collect.options.Target;
import dev.plumb.collect.options.TargetException;
import dev.plumb.collect.options.Targets;
import dev.plumb.elf.ElfFile;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.kernel.Cpus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Loads and attaches BPF objects. The maps of the common headers in {@code src/main/bpf} exist
 * once, whichever object is loaded first, and every object gets the same filters.
 */
public final class KernelPrograms implements AutoCloseable {
  private static final List<String> SHARED =
      List.of(
          "records",
          "target_tgids",
          "target_tids",
          "scratches",
          "sent",
          "walked_stacks",
          "recalled_stacks",
          "chunks",
          "region_lists",
          "copies",
          "copy_limit",
          "sums");

  /** As in {@code copy.h}. */
  private static final int COPIES_A_CPU = 4;

  /** struct listed_process: 0 process, 8 tgid. */
  private static final int LISTED_SIZE = 16;

  private static final List<Probe> TARGET_PROBES =
      List.of(
          Probe.tracepoint("sched_process_fork", "on_fork_btf", "on_fork_raw"),
          Probe.tracepoint("sched_process_exit", "on_exit_btf", "on_exit_raw"));

  private final Target target;
  private final StackOptions stackOptions;
  private final int ringBytes;
  private final KernelTypes types;

  /** What was read before this object existed. */
  private final Optional<StartupPrefetch> ahead = StartupPrefetch.begun();

  /** Does not change while the kernel runs. */
  private final int possibleCpus = Cpus.possibleCount();

  /** Odd, so that a generation repeats only after 2^64 steps. */
  private static final long GENERATION_STEP = 0x9E3779B97F4A7C15L;

  private long generation;
  private final Map<String, BpfMap> shared = new HashMap<>();
  private final Map<Collection, Integer> chosenWays = new HashMap<>();
  private final List<AutoCloseable> owned = new ArrayList<>();

  public KernelPrograms(Target target, StackOptions stackOptions, int ringBytes) {
    this.types = ahead.map(StartupPrefetch::types).orElseGet(KernelTypes::running);
    this.target = target;
    this.stackOptions = stackOptions;
    this.ringBytes = ringBytes;
    boolean children = target.launched() || !target.pids().isEmpty();
    if (children || !target.tids().isEmpty()) {
      Collection programs = load("target", TARGET_PROBES, spec -> {});
      owned.add(programs);
      if (children) {
        owned.add(attach(programs, TARGET_PROBES));
      }
    }
    target.pids().forEach(pid -> put("target_tgids", pid));
    target.tids().forEach(tid -> put("target_tids", tid));
  }

  private void put(String map, int key) {
    try (Arena arena = Arena.ofConfined()) {
      shared
          .get(map)
          .update(arena.allocateFrom(JAVA_INT, key), arena.allocateFrom(JAVA_BYTE, (byte) 1), 0);
    }
  }

  /** Whether a loaded object has this map of the common headers. */
  public boolean has(String name) {
    return shared.containsKey(name);
  }

  /** A map of the common headers, once an object that has it is loaded. */
  public BpfMap map(String name) {
    return shared.get(name);
  }

  /** The ring buffer for all records; it exists once an object is loaded. */
  public BpfMap records() {
    return shared.get("records");
  }

  /** Loads an object with all its programs. */
  public Collection load(String object) {
    return load(object, List.of(), spec -> {});
  }

  /**
   * Loads an object with the best ways of its probes that this kernel accepts.
   *
   * @param settings sets the variables and map sizes that only this object has
   */
  public Collection load(String object, List<Probe> probes, Consumer<CollectionSpec> settings) {
    int mostWays = probes.stream().mapToInt(p -> p.ways().size()).max().orElse(1);
    BpfException first = null;
    for (int way = 0; way < mostWays; way++) {
      try {
        Collection loaded = tryLoad(object, probes, way, settings);
        chosenWays.put(loaded, way);
        return loaded;
      } catch (BpfException e) {
        if (first == null) {
          first = e;
        }
      }
    }
    throw first;
  }

  private Collection tryLoad(
      String object, List<Probe> probes, int way, Consumer<CollectionSpec> settings) {
    CollectionSpec spec = spec(object);
    for (Probe probe : probes) {
      for (int i = 0; i < probe.ways().size(); i++) {
        spec.program(probe.ways().get(i).program()).autoload(i == wayOf(probe, way));
      }
    }
    settings.accept(spec);
    Collection loaded = Collection.load(spec, LoadOptions.of(types).sharing(shared));
    for (String name : SHARED) {
      if (spec.maps().containsKey(name)) {
        // A duplicate, because the object that had it first may be closed before others.
        shared.computeIfAbsent(name, x -> loaded.map(name).duplicate());
      }
    }
    return loaded;
  }

  private CollectionSpec spec(String object) {
    CollectionSpec spec = ahead.flatMap(a -> a.take(object)).orElseGet(() -> read(object));
    configure(spec);
    return spec;
  }

  public static CollectionSpec read(String object) {
    try (Arena arena = Arena.ofConfined();
        ElfFile elf = ElfFile.of(resource(object, arena), object + ".o")) {
      return CollectionSpec.of(elf);
    }
  }

  private static int wayOf(Probe probe, int way) {
    return Math.min(way, probe.ways().size() - 1);
  }

  /** Where the jar has the objects for this architecture. */
  public static String folder() {
    return "/bpf/" + (System.getProperty("os.arch").equals("aarch64") ? "arm64" : "x86") + "/";
  }

  public static MemorySegment resource(String object, Arena arena) {
    String path = folder() + object + ".o";
    try (InputStream in = KernelPrograms.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("the jar has no " + path + "; rebuild it");
      }
      byte[] bytes = in.readAllBytes();
      MemorySegment copy = arena.allocate(bytes.length, 16);
      MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, bytes.length);
      return copy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void configure(CollectionSpec spec) {
    MapSpec records = spec.map("records");
    records.maxEntries(ringBytes);
    spec.setVariable("wakeup_bytes", (long) ringBytes / 4);
    spec.setVariable("own_tgid", target.self() ? 0 : ProcessCalls.getpid());
    spec.setVariable("filter_tgids", target.launched() || !target.pids().isEmpty());
    spec.setVariable("filter_tids", !target.tids().isEmpty());
    spec.setVariable("filter_comm", comm());
    spec.setVariable("filter_pgid", target.pgid());
    if (target.pidNamespaceOf() != 0) {
      spec.setVariable("filter_pidns", Targets.pidNamespace(target.pidNamespaceOf()));
    }
    target
        .cgroup()
        .ifPresent(
            cgroup -> {
              spec.setVariable("filter_cgroup", cgroup.id());
              spec.setVariable("filter_cgroup_level", cgroup.level());
              spec.setVariable("filter_cgroup_subsystem", subsystem(cgroup));
            });
    if (spec.variables().containsKey("launcher_tgid") && target.launched()) {
      spec.setVariable("launcher_tgid", ProcessCalls.getpid());
    }
    if (spec.maps().containsKey("copies")) {
      spec.map("copies").maxEntries(COPIES_A_CPU * possibleCpus);
    }
    if (spec.variables().containsKey("max_user_frames")) {
      spec.setVariable("max_user_frames", stackOptions.maxUserFrames());
      spec.setVariable("want_kernel", stackOptions.kernel());
      spec.setVariable("want_user", stackOptions.user());
    }
  }

  /** At most 15 bytes and a zero, as the kernel keeps it. */
  private byte[] comm() {
    byte[] name = target.comm().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    byte[] comm = new byte[16];
    System.arraycopy(name, 0, comm, 0, Math.min(name.length, 15));
    return comm;
  }

  private int subsystem(CgroupTarget cgroup) {
    if (cgroup.controller().isEmpty()) {
      return -1;
    }
    Btf kernel = types.kernel();
    int type = kernel.find("cgroup_subsys_id", BtfKind.ENUM);
    for (int i = 0; type > 0 && i < kernel.length(type); i++) {
      String name = kernel.string(kernel.enumeratorName(type, i));
      if (name.equals(cgroup.controller() + "_cgrp_id")) {
        return (int) kernel.enumeratorValue(type, i);
      }
    }
    throw new TargetException("this kernel has no cgroup controller " + cgroup.controller());
  }

  /** Attaches the programs that were chosen when the object was loaded. */
  public AttachedLinks attach(Collection programs, List<Probe> probes) {
    List<Link> links = new ArrayList<>();
    try {
      for (Probe probe : probes) {
        int way = wayOf(probe, chosenWays.get(programs));
        links.add(probe.ways().get(way).attach().apply(programs));
      }
    } catch (RuntimeException e) {
      links.forEach(Link::close);
      throw e;
    }
    return new AttachedLinks(links);
  }

  /** All that an iterator program writes. */
  public MemorySegment readIterator(Program program) {
    try (Link link = Links.iter(program)) {
      byte[] bytes = link.readIterator();
      MemorySegment copy = Arena.ofAuto().allocate(bytes.length, 8);
      return copy.copyFrom(MemorySegment.ofArray(bytes));
    }
  }

  /**
   * The ids of the running processes on the kernel side, by pid; empty if this kernel cannot list
   * them.
   */
  public Map<Integer, Long> listProcesses() {
    Map<Integer, Long> numbers = new HashMap<>();
    try (Collection programs =
        Collection.load(spec("processes"), LoadOptions.of(types).sharing(shared))) {
      MemorySegment listed = readIterator(programs.program("list_processes"));
      for (long at = 0; at < listed.byteSize(); at += LISTED_SIZE) {
        numbers.put(listed.get(JAVA_INT, at + 8), listed.get(JAVA_LONG, at));
      }
    } catch (BpfException e) {
      // Then the first stacks of each process are copied instead.
    }
    return numbers;
  }

  /** A counter of {@code plumb.h}, over all objects that are loaded. */
  public long counter(Counter counter) {
    long sum = 0;
    for (Collection object : chosenWays.keySet()) {
      sum += object.isClosed() ? 0 : counter(object, counter);
    }
    return sum;
  }

  /** A counter of one object, over all CPUs. */
  public long counter(Collection object, Counter counter) {
    BpfMap counters = object.map("counters");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment values = arena.allocate(8L * possibleCpus, 8);
      counters.lookup(arena.allocateFrom(JAVA_INT, counter.ordinal()), values);
      long sum = 0;
      for (int cpu = 0; cpu < possibleCpus; cpu++) {
        sum += values.getAtIndex(JAVA_LONG, cpu);
      }
      return sum;
    }
  }

  /** Everything is loaded and attached: what only that needed is given up. */
  public void letGo() {
    types.letGo();
  }

  /** Lets programs ignore all events although they are attached, or no longer. */
  public void pause(boolean paused) {
    for (Collection programs : chosenWays.keySet()) {
      if (!programs.isClosed() && programs.variables().containsKey("paused")) {
        programs.variable("paused").set(paused ? 1 : 0);
      }
    }
  }

  /**
   * From now on, the kernel side sends every stack once more: user space may forget what it has.
   */
  public void sendAgain() {
    generation += GENERATION_STEP;
    for (Collection programs : chosenWays.keySet()) {
      if (!programs.isClosed() && programs.variables().containsKey("generation")) {
        programs.variable("generation").set(generation);
      }
    }
  }

  @Override
  public void close() {
    shared.values().forEach(BpfMap::close);
    for (AutoCloseable part : owned.reversed()) {
      try {
        part.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
