package dev.plumb.collect;

import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import dev.plumb.profile.ThreadInfo;
import dev.plumb.symbols.Symbolizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Turns raw stacks and threads into named ones, when recording is over. */
final class Naming {
  /** Frames of the tracing machinery itself, between the event and our program. */
  private static final List<String> MACHINERY =
      List.of("bpf_prog_", "bpf_trampoline_", "bpf_trace_run", "__bpf_trace_", "__traceiter_");

  private static final int[] UNMAPPED = {};

  private final RawFrames rawFrames;
  private final RawStacks rawStacks;
  private final RawProcesses processes;
  private final RawThreads threads;
  private final Symbolizer symbolizer;
  private final ClockOffsets clock;
  private final StackTable.Builder table = new StackTable.Builder();

  /** Frame ids of each raw frame, once it was looked up. */
  private final int[][] named;

  private final List<Frame> frames = new ArrayList<>();
  private int[] ids = new int[4096];

  Naming(
      RawFrames rawFrames,
      RawStacks rawStacks,
      RawProcesses processes,
      RawThreads threads,
      Symbolizer symbolizer,
      ClockOffsets clock) {
    this.rawFrames = rawFrames;
    this.rawStacks = rawStacks;
    this.processes = processes;
    this.threads = threads;
    this.symbolizer = symbolizer;
    this.clock = clock;
    this.named = new int[rawFrames.size()][];
  }

  /** The id of a raw stack in the table, below it a leaf of the collector's own if there is one. */
  int stack(int rawStack, Optional<Frame> leaf) {
    int depth = rawStacks.depth(rawStack);
    int kernelDepth = rawStacks.kernelDepth(rawStack);
    StackEnd end = rawStacks.end(rawStack);
    int n = 0;
    if (leaf.isPresent()) {
      ids[n++] = id(leaf.get());
    }
    for (int i = machineryDepth(rawStack); i < depth; i++) {
      int[] place = frameIds(rawStacks.frame(rawStack, i));
      if (place == UNMAPPED) {
        // A return address that lies in no mapping is no frame: unwinding went astray before it.
        end = StackEnd.UNMAPPED;
        break;
      }
      if (n + place.length > ids.length) {
        ids = java.util.Arrays.copyOf(ids, ids.length * 2);
      }
      for (int id : place) {
        ids[n++] = id;
      }
    }
    if (n == 0 || (n == 1 && leaf.isPresent() && kernelDepth == 0)) {
      ids[n++] = id(unknownPlace(rawStack));
    }
    return table.stack(ids, n, end);
  }

  private Frame unknownPlace(int rawStack) {
    boolean known = processes.image(rawStacks.process(rawStack)).isPresent();
    return new Frame(
        known ? "[unknown]" : "[unknown: process ended too soon]",
        FrameKind.NATIVE,
        false,
        false,
        "",
        "",
        0,
        0,
        "",
        0);
  }

  /** The names of a raw stack's kernel functions, leaf first, without the tracing machinery. */
  List<String> kernelFunctions(int rawStack) {
    List<String> names = new ArrayList<>();
    for (int i = machineryDepth(rawStack); i < rawStacks.kernelDepth(rawStack); i++) {
      names.add(frames.get(frameIds(rawStacks.frame(rawStack, i))[0]).name());
    }
    return names;
  }

  private int machineryDepth(int rawStack) {
    int n = 0;
    while (n < rawStacks.kernelDepth(rawStack)) {
      String name = frames.get(frameIds(rawStacks.frame(rawStack, n))[0]).name();
      if (MACHINERY.stream().noneMatch(name::startsWith)) {
        return n;
      }
      n++;
    }
    return 0; // all of it: then it is what was sampled
  }

  boolean isKernelThread(int rawStack) {
    return processes
        .image(rawStacks.process(rawStack))
        .map(ProcessImage::kernelThread)
        .orElse(false);
  }

  /** The whole stack in one line, leaf first. */
  String line(int rawStack) {
    StringBuilder line = new StringBuilder();
    for (int i = machineryDepth(rawStack); i < rawStacks.depth(rawStack); i++) {
      for (int id : frameIds(rawStacks.frame(rawStack, i))) {
        line.append(line.isEmpty() ? "" : ";").append(frames.get(id).name());
      }
    }
    return line.toString();
  }

  private int[] frameIds(int rawFrame) {
    int[] known = named[rawFrame];
    if (known == null) {
      known = lookUp(rawFrame);
      named[rawFrame] = known;
    }
    return known;
  }

  private int[] lookUp(int rawFrame) {
    long address = rawFrames.address(rawFrame);
    if (rawFrames.isKernel(rawFrame)) {
      return new int[] {id(symbolizer.kernel(address, rawFrames.isReturn(rawFrame)))};
    }
    Optional<Mapping> mapping =
        processes
            .image(rawFrames.process(rawFrame))
            .flatMap(image -> image.mappingAt(address, rawFrames.firstSeen(rawFrame)));
    if (mapping.isEmpty()) {
      return UNMAPPED;
    }
    return symbolizer.user(mapping.get(), address, rawFrames.isReturn(rawFrame)).stream()
        .mapToInt(this::id)
        .toArray();
  }

  private int id(Frame frame) {
    int id = table.frame(frame);
    if (id == frames.size()) {
      frames.add(frame);
    }
    return id;
  }

  ThreadInfo thread(int thread) {
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

  /** The process of a tgid that was seen as a waker. */
  Optional<ProcessImage> imageOfStack(int rawStack) {
    return processes.image(rawStacks.process(rawStack));
  }

  StackTable table() {
    return table.build();
  }
}
