package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfAttr.Batch;
import dev.plumb.bpf.BpfAttr.LinkCreate;
import dev.plumb.bpf.btf.KernelTypes;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.bpf.object.Instruction;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.bpf.object.MapType;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.kernel.Cpus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Tries out what the kernel can do, with the smallest maps and programs that tell. */
final class FeatureProbes {
  private static final int LOG_SIZE = 4096;
  private static final long RETURN_0 = Instruction.of(0xb7, 0, 0, 0, 0);
  private static final long EXIT = Instruction.of(Instruction.EXIT, 0, 0, 0, 0);

  private FeatureProbes() {}

  private static boolean closed(long result) {
    if (result >= 0) {
      new Fd((int) result).close();
    }
    return result >= 0;
  }

  static boolean ringBuffer() {
    MapSpec spec = new MapSpec("probe").type(MapType.RINGBUF);
    return closed(BpfCalls.tryMapCreate(spec, SystemCalls.PAGE_SIZE, 0, 0));
  }

  static boolean batchMapCalls() {
    return batch(MapType.HASH);
  }

  static boolean perCpuArrayBatch() {
    return batch(MapType.PERCPU_ARRAY);
  }

  private static boolean batch(int type) {
    MapSpec spec = new MapSpec("probe").type(type).keySize(4).valueSize(8);
    long fd = BpfCalls.tryMapCreate(spec, 1, 0, 0);
    if (fd < 0) {
      return false;
    }
    try (Fd map = new Fd((int) fd);
        Arena arena = Arena.ofConfined()) {
      long result =
          BpfAttr.in(arena)
              .put(Batch.OUT, arena.allocate(8, 8))
              .put(Batch.KEYS, arena.allocate(8, 8))
              .put(Batch.VALUES, arena.allocate(8L * Cpus.possibleCount(), 8))
              .put(Batch.COUNT, 1)
              .put(Batch.MAP_FD, map.number())
              .tryCall(BpfCalls.MAP_LOOKUP_BATCH);
      return result == 0 || result == -Errno.ENOENT;
    }
  }

  /** A kernel that knows such links gets as far as to find that -1 is no perf event. */
  static boolean perfEventLink() {
    return linkCreate(
            ProgramKind.TYPE_PERF_EVENT,
            0,
            ProgramKind.ATTACH_PERF_EVENT,
            (arena, attr) -> attr.put(LinkCreate.TARGET_FD, -1))
        == -Errno.EBADF;
  }

  /** A kernel that knows them gets as far as to find that there is no such function. */
  static boolean kprobeMulti() {
    return linkCreate(
            ProgramKind.TYPE_KPROBE,
            ProgramKind.ATTACH_KPROBE_MULTI,
            ProgramKind.ATTACH_KPROBE_MULTI,
            (arena, attr) -> {
              MemorySegment name = arena.allocateFrom("plumb_probes_for_no_function");
              attr.put(LinkCreate.KPROBE_COUNT, 1)
                  .put(LinkCreate.KPROBE_SYMBOLS, arena.allocateFrom(JAVA_LONG, name.address()));
            })
        == -Errno.ESRCH;
  }

  /** A kernel that knows them gets as far as to find that the root folder is not a file. */
  static boolean uprobeMulti() {
    return linkCreate(
            ProgramKind.TYPE_KPROBE,
            ProgramKind.ATTACH_UPROBE_MULTI,
            ProgramKind.ATTACH_UPROBE_MULTI,
            (arena, attr) ->
                attr.put(LinkCreate.UPROBE_PATH, arena.allocateFrom("/"))
                    .put(LinkCreate.UPROBE_OFFSETS, arena.allocateFrom(JAVA_LONG, 0L))
                    .put(LinkCreate.UPROBE_COUNT, 1))
        == -Errno.EBADF;
  }

  private interface LinkAttributes {
    void put(Arena arena, BpfAttr attr);
  }

  private static long linkCreate(
      int type, int loadAttachType, int attachType, LinkAttributes attributes) {
    long fd =
        ProgramLoad.probe(type, loadAttachType, ProgramLoad.AttachTarget.NONE, RETURN_0, EXIT)
            .tryLoad(MemorySegment.NULL);
    if (fd < 0) {
      return fd;
    }
    try (Fd program = new Fd((int) fd);
        Arena arena = Arena.ofConfined()) {
      BpfAttr attr =
          BpfAttr.in(arena)
              .put(LinkCreate.PROGRAM_FD, program.number())
              .put(LinkCreate.ATTACH_TYPE, attachType);
      attributes.put(arena, attr);
      long result = attr.tryCall(BpfCalls.LINK_CREATE);
      closed(result);
      return result;
    }
  }

  static boolean typedTracepoint() {
    return tracing(
        "tp_btf", ProgramKind.ATTACH_TRACE_RAW_TP, ProgramKind.Target.TRACEPOINT, "sched_switch");
  }

  /** Loading is not all: the kernel must also be able to hook the function. */
  static boolean fentry() {
    return tracing(
        "fentry", ProgramKind.ATTACH_TRACE_FENTRY, ProgramKind.Target.FUNCTION, "bpf_fentry_test1");
  }

  static boolean iterator(String what) {
    return tracing("iter", ProgramKind.ATTACH_TRACE_ITER, ProgramKind.Target.ITERATOR, what);
  }

  private static boolean tracing(
      String prefix, int attachType, ProgramKind.Target target, String name) {
    ProgramKind kind = new ProgramKind(prefix, ProgramKind.TYPE_TRACING, attachType, target, false);
    try (ModuleTypes types = new ModuleTypes(KernelTypes.running())) {
      ProgramLoad.AttachTarget found = types.attachTarget(kind, name, "probe");
      long fd =
          ProgramLoad.probe(ProgramKind.TYPE_TRACING, attachType, found, RETURN_0, EXIT)
              .tryLoad(MemorySegment.NULL);
      if (fd < 0) {
        return false;
      }
      try (Fd program = new Fd((int) fd)) {
        return target != ProgramKind.Target.FUNCTION
            || closed(BpfCalls.tryRawTracepointOpen("", program.number()));
      }
    } catch (BpfException e) {
      return false;
    }
  }

  static boolean helper(int programType, int helper) {
    return helper(
        ProgramLoad.probe(
            programType,
            0,
            ProgramLoad.AttachTarget.NONE,
            Instruction.of(Instruction.CALL, 0, 0, 0, helper),
            RETURN_0,
            EXIT));
  }

  static boolean sleepableHelper(int programType, int helper) {
    return helper(
        ProgramLoad.probe(
                programType,
                0,
                ProgramLoad.AttachTarget.NONE,
                Instruction.of(Instruction.CALL, 0, 0, 0, helper),
                RETURN_0,
                EXIT)
            .sleepable());
  }

  /** The call lacks arguments: whether the verifier minds that, or the helper, is the answer. */
  private static boolean helper(ProgramLoad load) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment log = arena.allocate(LOG_SIZE);
      long result = load.tryLoad(log);
      if (closed(result)) {
        return true;
      }
      String text = log.getString(0);
      return result != -Errno.EPERM
          && !text.isEmpty()
          && !text.contains("invalid func ")
          && !text.contains("unknown func ")
          && !text.contains("program of this type cannot use helper ")
          && !text.contains(" can be sleepable");
    }
  }

  static boolean statistics() {
    try (Arena arena = Arena.ofConfined()) {
      return closed(BpfAttr.in(arena).tryCall(BpfCalls.ENABLE_STATS));
    }
  }
}
