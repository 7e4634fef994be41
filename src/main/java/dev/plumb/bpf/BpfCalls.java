package dev.plumb.bpf;

import dev.plumb.bpf.BpfAttr.BtfLoad;
import dev.plumb.bpf.BpfAttr.MapCreate;
import dev.plumb.bpf.BpfAttr.MapElement;
import dev.plumb.bpf.BpfAttr.ObjectInfo;
import dev.plumb.bpf.BpfAttr.RawTracepoint;
import dev.plumb.bpf.object.MapSpec;
import dev.plumb.linux.Errno;
import dev.plumb.linux.SyscallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The commands of bpf(2), and what to do when one fails; {@link BpfAttr} is their argument. */
final class BpfCalls {
  static final int MAP_CREATE = 0;
  static final int MAP_LOOKUP_ELEM = 1;
  static final int MAP_UPDATE_ELEM = 2;
  static final int MAP_DELETE_ELEM = 3;
  static final int MAP_GET_NEXT_KEY = 4;
  static final int PROG_LOAD = 5;
  static final int PROG_TEST_RUN = 10;
  static final int OBJ_GET_INFO_BY_FD = 15;
  static final int RAW_TRACEPOINT_OPEN = 17;
  static final int BTF_LOAD = 18;
  static final int BTF_GET_FD_BY_ID = 19;
  static final int MAP_LOOKUP_AND_DELETE_ELEM = 21;
  static final int MAP_FREEZE = 22;
  static final int BTF_GET_NEXT_ID = 23;
  static final int MAP_LOOKUP_BATCH = 24;
  static final int MAP_LOOKUP_AND_DELETE_BATCH = 25;
  static final int LINK_CREATE = 28;
  static final int ENABLE_STATS = 32;
  static final int ITER_CREATE = 33;

  private BpfCalls() {}

  static long check(long result, String what) {
    if (result < 0) {
      throw new SyscallException("bpf(" + what + ")", (int) -result, remedy((int) -result));
    }
    return result;
  }

  private static String remedy(int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          "needs CAP_BPF and CAP_PERFMON (or root), see `plumb doctor`";
      case Errno.ENOSYS -> "this kernel has no bpf(2)";
      case Errno.ENOMEM -> "free some memory, or raise the memory limit of this cgroup";
      case Errno.EMFILE -> "raise the limit of open files (ulimit -n)";
      case Errno.EINVAL, Errno.E2BIG -> "this kernel may be too old for it";
      default -> "";
    };
  }

  /** MAP_CREATE; the descriptor or -errno. */
  static long tryMapCreate(MapSpec spec, int maxEntries, int innerFd, int btfFd) {
    try (Arena arena = Arena.ofConfined()) {
      BpfAttr attr =
          BpfAttr.in(arena)
              .put(MapCreate.TYPE, spec.type())
              .put(MapCreate.KEY_SIZE, spec.keySize())
              .put(MapCreate.VALUE_SIZE, spec.valueSize())
              .put(MapCreate.MAX_ENTRIES, maxEntries)
              .put(MapCreate.FLAGS, spec.flags())
              .put(MapCreate.INNER_FD, innerFd)
              .put(MapCreate.NUMA_NODE, spec.numaNode())
              .putName(MapCreate.NAME, spec.name())
              .put(MapCreate.EXTRA, spec.extra());
      boolean typed = btfFd > 0 && (spec.keyType() != 0 || spec.valueType() != 0);
      if (typed) {
        attr.put(MapCreate.BTF_FD, btfFd)
            .put(MapCreate.KEY_TYPE, spec.keyType())
            .put(MapCreate.VALUE_TYPE, spec.valueType());
      }
      return attr.tryCall(MAP_CREATE);
    }
  }

  static void freeze(int mapFd) {
    try (Arena arena = Arena.ofConfined()) {
      check(BpfAttr.in(arena).put(MapElement.MAP_FD, mapFd).tryCall(MAP_FREEZE), "MAP_FREEZE");
    }
  }

  /** BTF_LOAD; the descriptor or -errno. An empty log asks for none. */
  static long tryBtfLoad(MemorySegment blob, MemorySegment log) {
    try (Arena arena = Arena.ofConfined()) {
      return BpfAttr.in(arena)
          .put(BtfLoad.BTF, blob)
          .put(BtfLoad.SIZE, blob.byteSize())
          .put(BtfLoad.LOG, log)
          .put(BtfLoad.LOG_SIZE, log.byteSize())
          .put(BtfLoad.LOG_LEVEL, log.byteSize() > 0 ? 1 : 0)
          .tryCall(BTF_LOAD);
    }
  }

  /** OBJ_GET_INFO_BY_FD into {@code info}, as far as the kernel has it. */
  static long tryInfo(int fd, MemorySegment info) {
    try (Arena arena = Arena.ofConfined()) {
      return BpfAttr.in(arena)
          .put(ObjectInfo.FD, fd)
          .put(ObjectInfo.LENGTH, info.byteSize())
          .put(ObjectInfo.INFO, info)
          .tryCall(OBJ_GET_INFO_BY_FD);
    }
  }

  /** RAW_TRACEPOINT_OPEN; an empty name for programs that know their target. */
  static long tryRawTracepointOpen(String name, int programFd) {
    try (Arena arena = Arena.ofConfined()) {
      return BpfAttr.in(arena)
          .put(RawTracepoint.NAME, name.isEmpty() ? MemorySegment.NULL : arena.allocateFrom(name))
          .put(RawTracepoint.PROGRAM_FD, programFd)
          .tryCall(RAW_TRACEPOINT_OPEN);
    }
  }
}
