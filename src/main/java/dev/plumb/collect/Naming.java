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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Turns raw stacks and threads into named ones, when recording is over. */
final class Naming {
  /** Frames of the tracing machinery itself, between the event and our program. */
  private static final List<String> MACHINERY =
      List.of("bpf_prog_", "bpf_trampoline_", "bpf_trace_run", "__bpf_trace_", "__traceiter_");

  // What a raw frame was found to be: a frame's id + 1, or one of these, or below them the number
  // of several ids.
  private static final int NOT_LOOKED_UP = 0;
  private static final int UNMAPPED = -1;
  private static final int SEVERAL = -2;

  private final RawFrames rawFrames;
  private final RawStacks rawStacks;
  private final RawProcesses processes;
  private final RawThreads threads;
  private final Symbolizer symbolizer;
  private final ClockOffsets clock;
  private final StackTable.Builder table = new StackTable.Builder();

  private int[] named;
  private final List<int[]> several = new ArrayList<>();
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
    this.named = new int[rawFrames.size()];
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
      int place = place(rawStacks.frame(rawStack, i));
      if (place == UNMAPPED) {
        // A return address that lies in no mapping is no frame: unwinding went astray before it.
        end = StackEnd.UNMAPPED;
        break;
      }
      n = append(place, n);
    }
    if (n == 0 || (n == 1 && leaf.isPresent() && kernelDepth == 0)) {
      ids[n++] = id(unknownPlace(rawStack));
    }
    return table.stack(ids, n, end);
  }

  /** Puts the frames of a place behind the first {@code n} ids. */
  private int append(int place, int n) {
    int more = place > 0 ? 1 : several.get(SEVERAL - place).length;
    if (n + more > ids.length) {
      ids = Arrays.copyOf(ids, Math.max(n + more, ids.length * 2));
    }
    if (place > 0) {
      ids[n] = place - 1;
    } else {
      System.arraycopy(several.get(SEVERAL - place), 0, ids, n, more);
    }
    return n + more;
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
      names.add(kernelName(rawStack, i));
    }
    return names;
  }

  private int machineryDepth(int rawStack) {
    int n = 0;
    while (n < rawStacks.kernelDepth(rawStack)) {
      String name = kernelName(rawStack, n);
      if (MACHINERY.stream().noneMatch(name::startsWith)) {
        return n;
      }
      n++;
    }
    return 0; // all of it: then it is what was sampled
  }

  private String kernelName(int rawStack, int i) {
    return frames.get(place(rawStacks.frame(rawStack, i)) - 1).name();
  }

  boolean isKernelThread(int rawStack) {
    return processes
        .image(rawStacks.process(rawStack))
        .map(ProcessImage::kernelThread)
        .orElse(false);
  }

  /** The whole stack in one line, leaf first. */
  String line(int rawStack) {
    int n = 0;
    for (int i = machineryDepth(rawStack); i < rawStacks.depth(rawStack); i++) {
      int place = place(rawStacks.frame(rawStack, i));
      n = place == UNMAPPED ? n : append(place, n);
    }
    return Arrays.stream(ids, 0, n)
        .mapToObj(id -> frames.get(id).name())
        .collect(Collectors.joining(";"));
  }

  private int place(int rawFrame) {
    if (named[rawFrame] == NOT_LOOKED_UP) {
      named[rawFrame] = lookUp(rawFrame);
    }
    return named[rawFrame];
  }

  private int lookUp(int rawFrame) {
    long address = rawFrames.address(rawFrame);
    if (rawFrames.isKernel(rawFrame)) {
      return id(symbolizer.kernel(address, rawFrames.isReturn(rawFrame))) + 1;
    }
    Optional<Mapping> mapping =
        processes
            .image(rawFrames.process(rawFrame))
            .flatMap(image -> image.mappingAt(address, rawFrames.firstSeen(rawFrame)));
    if (mapping.isEmpty()) {
      return UNMAPPED;
    }
    List<Frame> found = symbolizer.user(mapping.get(), address, rawFrames.isReturn(rawFrame));
    if (found.size() == 1) {
      return id(found.getFirst()) + 1;
    }
    several.add(found.stream().mapToInt(this::id).toArray());
    return SEVERAL - (several.size() - 1);
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

  /** All stacks. The last thing to be asked: what they were made of is given back first. */
  StackTable table() {
    named = new int[0];
    rawStacks.clear();
    rawFrames.clear();
    processes.clear();
    return table.build();
  }
}
