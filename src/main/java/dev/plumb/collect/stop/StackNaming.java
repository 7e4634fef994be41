package dev.plumb.collect.stop;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.collect.raw.GeneratedCode;
import dev.plumb.collect.stop.ThreadStack.Place;
import dev.plumb.collect.tables.ProcessUnwinder;
import dev.plumb.linux.kernel.SyscallNames;
import dev.plumb.linux.proc.ProcStack;
import dev.plumb.process.Mapping;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import dev.plumb.profile.StackEnd;
import dev.plumb.symbols.Symbolizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Unwinds and names the copied stacks of a process's threads. */
final class StackNaming {
  /** As many as fit into a copy: a frame has at least a return address. */
  private static final int MAX_FRAMES = ProcessStopper.MAX_STACK_BYTES / 8;

  private final ProcessImage image;
  private final Symbolizer symbolizer;
  private final ProcessUnwinder unwinder;
  private final GeneratedCode generatedCode = new GeneratedCode();
  private final long time;

  StackNaming(ProcessImage image, ProcessFinder finder, Symbolizer symbolizer, long time) {
    this.image = image;
    this.symbolizer = symbolizer;
    this.time = time;
    this.unwinder = ProcessUnwinder.withoutKernelSide(finder, MAX_FRAMES);
  }

  /** A thread that was not stopped; kernel threads cannot be. */
  ThreadStack unhalted(int tid, ThreadBeforeStop before) {
    char state = before.stat().state();
    boolean ended = "ZX".indexOf(state) >= 0;
    return new ThreadStack(
        tid,
        before.stat().comm(),
        state,
        ended ? "has ended" : state == 'R' ? "running" : before.waiting(),
        kernel(before.kernelStack()),
        "");
  }

  /** Empty if it is gone. */
  Optional<ThreadStack> halted(ThreadBeforeStop before, StoppedThread halted) {
    return switch (halted.kind()) {
      case GONE -> Optional.empty();
      case UNSTOPPABLE ->
          Optional.of(
              withProblem(
                  unhalted(halted.tid(), before),
                  "it did not stop within %d ms, so there is no user part"
                      .formatted(ProcessStopper.PATIENCE_NANOS / 1_000_000)));
      case FOREIGN ->
          Optional.of(
              withProblem(
                  unhalted(halted.tid(), before), "it runs 32-bit code, which is not supported"));
      case COPIED -> Optional.of(copied(before, halted));
    };
  }

  private static ThreadStack withProblem(ThreadStack stack, String problem) {
    return new ThreadStack(
        stack.tid(), stack.comm(), stack.state(), stack.doing(), stack.places(), problem);
  }

  private ThreadStack copied(ThreadBeforeStop before, StoppedThread halted) {
    List<Place> places = new ArrayList<>();
    char state = before.stat().state();
    String doing = "running";
    if (state == 'T') {
      doing = "stopped by a signal";
    } else if (before.waitedIn(halted)) {
      doing = before.waiting();
      places.addAll(kernel(before.kernelStack()));
    } else {
      state = 'R';
      if (halted.syscall() >= 0) {
        doing = "running in " + SyscallNames.name(halted.syscall());
      }
    }
    String problem = user(halted, places);
    return new ThreadStack(halted.tid(), before.stat().comm(), state, doing, places, problem);
  }

  private static List<Place> kernel(List<ProcStack.Entry> entries) {
    List<Place> places = new ArrayList<>();
    for (ProcStack.Entry entry : entries) {
      String module = entry.module().isEmpty() ? "[kernel]" : entry.module();
      Frame frame =
          new Frame(
              entry.name(), FrameKind.KERNEL, false, true, module, "", 0, entry.offset(), "", 0);
      places.add(new Place(frame, 0, entry.offset()));
    }
    return places;
  }

  /** Adds the user part; returns why it is incomplete, or an empty string. */
  private String user(StoppedThread halted, List<Place> places) {
    StackEnd how = unwinder.unwind(halted.stack(), halted.registers(), image, time);
    Optional<Mapping> outermost = Optional.empty();
    for (int i = 0; i < unwinder.frames(); i++) {
      long address = unwinder.addresses().getAtIndex(JAVA_LONG, i);
      boolean isReturn = unwinder.isReturnAddress(i);
      Optional<Mapping> mapping = image.mappingAt(isReturn ? address - 1 : address, time);
      if (mapping.isEmpty()) {
        StackEnd why = generatedCode.end(StackEnd.UNMAPPED, outermost);
        return why == StackEnd.UNMAPPED
            ? why.text() + " (0x" + Long.toHexString(address) + ")"
            : why.text();
      }
      outermost = mapping;
      for (Frame frame : symbolizer.user(mapping.get(), address, isReturn)) {
        long offset = frame.inlined() || !frame.named() ? 0 : frame.offset() + (isReturn ? 1 : 0);
        places.add(new Place(frame, address, offset));
      }
    }
    StackEnd end = generatedCode.end(how, outermost);
    if (end == StackEnd.UNREADABLE && halted.stack().readBeyond()) {
      return "it continues beyond the copied %d KB of the stack"
          .formatted(ProcessStopper.MAX_STACK_BYTES >> 10);
    }
    return end == StackEnd.WHOLE ? "" : end.text();
  }
}
