package dev.plumb.collect.naming;

import dev.plumb.collect.raw.CallerPath;
import dev.plumb.collect.raw.ClockOffsets;
import dev.plumb.collect.raw.RawPlaces;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.collect.raw.RawThreads;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.symbols.Symbolizer;
import dev.plumb.symbols.jit.JitProcess;
import dev.plumb.symbols.jit.JitSymbols;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * Turns raw stacks and threads into named ones. When the recorder forgets raw stacks, it needs a
 * new instance.
 */
public final class Naming implements AutoCloseable {
  /** Functions of the tracing machinery itself, between the event and our BPF program. */
  private static final List<String> MACHINERY =
      List.of("bpf_prog_", "bpf_trampoline_", "bpf_trace_run", "__bpf_trace_", "__traceiter_");

  private final RawStacks rawStacks;
  private final RawProcesses processes;
  private final RawThreads threads;
  private final Symbolizer symbolizer;
  private final JitSymbols jit = new JitSymbols();
  private final ClockOffsets clock;
  private final StackTable.Builder table = new StackTable.Builder();
  private final List<Frame> frames = new ArrayList<>();
  private final Map<Integer, String> lines = new HashMap<>();

  /** For each place, the ids of its frames, leaf first; null if it is not named yet. */
  private int[][] namedPlaces = new int[1024][];

  /** Places in generated code that the JIT compiler has not described yet. */
  private final List<Integer> unknownPlaces = new ArrayList<>();

  /** For each place, whether it belongs to the tracing machinery: 0 unknown, 1 yes, 2 no. */
  private byte[] machinery = {};

  /** For each raw stack, its id in the table + 1. */
  private int[] namedStacks = {};

  private final CallerPath path = new CallerPath();

  public Naming(
      RawStacks rawStacks,
      RawProcesses processes,
      RawThreads threads,
      Symbolizer symbolizer,
      ClockOffsets clock) {
    this.rawStacks = rawStacks;
    this.processes = processes;
    this.threads = threads;
    this.symbolizer = symbolizer;
    this.clock = clock;
  }

  private RawPlaces places() {
    return rawStacks.places();
  }

  /** Reads what the JIT compiler of a process has written so far: later the process may be gone. */
  void notice(ProcessImage image) {
    jit.notice(JitProcess.of(image));
  }

  /** Opens the debug file that belongs to a file: later it may be gone. Thread-safe. */
  void hold(BackingFile file) {
    symbolizer.hold(file);
  }

  /** Frees memory while nothing is named. */
  void rest() {
    symbolizer.rest();
  }

  /** Names a place in a file before it is needed. */
  void name(int place, Mapping mapping, long offset, boolean isReturn) {
    List<Frame> found = symbolizer.user(mapping, mapping.start() + offset, isReturn);
    if (!symbolizer.mayLearnMore(mapping.file())) {
      remember(place, found);
    }
  }

  /** To be called before stacks are named if new ones have arrived. */
  public void begin() {
    if (!unknownPlaces.isEmpty()) {
      unknownPlaces.forEach(place -> namedPlaces[place] = null);
      unknownPlaces.clear();
      namedStacks = new int[0];
    }
    namedStacks = Arrays.copyOf(namedStacks, rawStacks.size());
    machinery = Arrays.copyOf(machinery, places().size());
    table.reserve(rawStacks.size());
  }

  /** The id of a raw stack in the table, with the mode's own leaf below it if there is one. */
  public int stack(int rawStack, Optional<Frame> leaf) {
    int named = named(withoutMachinery(rawStacks.resolved(rawStack)));
    return leaf.isPresent() ? table.called(named, id(leaf.get())) : named;
  }

  private int named(int rawStack) {
    int at = path.walk(rawStacks.tree(), rawStack, namedStacks);
    int named = namedStacks[at] == 0 ? table.empty(rawStacks.end(at)) : namedStacks[at] - 1;
    while (path.hasNext()) {
      at = path.next();
      int[] ids = frameIds(rawStacks.place(at));
      for (int i = ids.length - 1; i >= 0; i--) {
        named = table.called(named, ids[i]);
      }
      namedStacks[at] = named + 1;
    }
    return named;
  }

  private int[] frameIds(int place) {
    return place < namedPlaces.length && namedPlaces[place] != null
        ? namedPlaces[place]
        : remember(place, lookUp(place));
  }

  private int[] remember(int place, List<Frame> found) {
    int[] ids = new int[found.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = id(found.get(i));
    }
    if (place >= namedPlaces.length) {
      namedPlaces = Arrays.copyOf(namedPlaces, place * 2);
    }
    namedPlaces[place] = ids;
    return ids;
  }

  private List<Frame> lookUp(int place) {
    if (place == RawPlaces.UNKNOWN) {
      return List.of(unknown("[unknown]"));
    }
    if (place == RawPlaces.UNKNOWN_PROCESS) {
      return List.of(unknown("[unknown: process ended too soon]"));
    }
    long offset = places().offset(place);
    if (places().isKernel(place)) {
      return List.of(symbolizer.kernel(offset, places().isReturn(place)));
    }
    Mapping mapping = rawStacks.regions().mapping(places().region(place));
    if (mapping.file().kind() == BackingFile.Kind.ANONYMOUS) {
      Optional<Frame> compiled = compiled(place, mapping.start() + offset);
      if (compiled.isPresent()) {
        return List.of(compiled.get());
      }
      unknownPlaces.add(place);
    }
    return symbolizer.user(mapping, mapping.start() + offset, places().isReturn(place));
  }

  /** The function of generated code, if its compiler described it. */
  private Optional<Frame> compiled(int place, long processAddress) {
    long address = places().isReturn(place) ? processAddress - 1 : processAddress;
    return processes
        .image(rawStacks.regions().process(places().region(place)))
        .flatMap(image -> jit.at(image, address, places().time(place)))
        .map(
            function ->
                new Frame(
                    function.name(),
                    FrameKind.JIT,
                    false,
                    true,
                    "[jit]",
                    "",
                    address,
                    address - function.processAddress(),
                    function.file(),
                    function.line()));
  }

  private static Frame unknown(String name) {
    return new Frame(name, FrameKind.NATIVE, false, false, "", "", 0, 0, "", 0);
  }

  /** The names of a raw stack's kernel functions, leaf first, without the tracing machinery. */
  public List<String> kernelFunctions(int rawStack) {
    List<String> names = new ArrayList<>();
    int first = withoutMachinery(rawStacks.resolved(rawStack));
    for (int at = first; inKernel(at); at = rawStacks.caller(at)) {
      names.add(kernelName(at));
    }
    return names;
  }

  private int withoutMachinery(int rawStack) {
    for (int at = rawStack; inKernel(at); at = rawStacks.caller(at)) {
      if (!isMachinery(at)) {
        return at;
      }
    }
    return rawStack; // all frames are machinery: then the machinery itself was sampled
  }

  private boolean isMachinery(int rawStack) {
    int place = rawStacks.place(rawStack);
    if (machinery[place] == 0) {
      String name = kernelName(rawStack);
      machinery[place] = (byte) (MACHINERY.stream().anyMatch(name::startsWith) ? 1 : 2);
    }
    return machinery[place] == 1;
  }

  private boolean inKernel(int rawStack) {
    return !rawStacks.isEmpty(rawStack) && places().isKernel(rawStacks.place(rawStack));
  }

  private String kernelName(int rawStack) {
    return frames.get(frameIds(rawStacks.place(rawStack))[0]).name();
  }

  public boolean isKernelThread(int thread) {
    return processes.image(threads.process(thread)).map(ProcessImage::kernelThread).orElse(false);
  }

  /** The whole stack in one line, leaf first. */
  public String line(int rawStack) {
    return lines.computeIfAbsent(rawStack, this::makeLine);
  }

  private String makeLine(int rawStack) {
    StringJoiner line = new StringJoiner(";");
    int first = withoutMachinery(rawStacks.resolved(rawStack));
    for (int at = first; !rawStacks.isEmpty(at); at = rawStacks.caller(at)) {
      for (int id : frameIds(rawStacks.place(at))) {
        line.add(frames.get(id).name());
      }
    }
    return line.toString();
  }

  private int id(Frame frame) {
    int id = table.frame(frame);
    if (id == frames.size()) {
      frames.add(frame);
    }
    return id;
  }

  /** The number of threads. */
  public int threads() {
    return threads.size();
  }

  public ThreadInfo thread(int thread) {
    int process = threads.process(thread);
    int tid = threads.tid(thread);
    int pid = processes.pid(process);
    return processes
        .image(process)
        .map(
            image ->
                new ThreadInfo(
                    pid,
                    tid,
                    image.innerPid(),
                    clock.wall(image.processStart()),
                    image.threadName(tid),
                    image.comm(),
                    image.cgroup()))
        .orElseGet(() -> new ThreadInfo(pid, tid, pid, 0, "[" + tid + "]", "[" + pid + "]", ""));
  }

  /** All stacks that are named so far. */
  public StackTable tableSoFar() {
    return table.copy();
  }

  /** All stacks. The last call: it first frees what they were made from. */
  public StackTable table() {
    namedPlaces = new int[0][];
    namedStacks = new int[0];
    rawStacks.clear();
    return table.build();
  }

  @Override
  public void close() {
    jit.close();
  }
}
