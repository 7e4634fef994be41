package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.object.MapSpec;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * The commands of bpf(2). Each has its own part of {@code union bpf_attr}, whose offsets stand in
 * the methods. A longer attribute than a kernel knows is fine as long as the rest is zero.
 */
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

  private static final int ATTR_SIZE = 160;
  private static final int NAME_SIZE = 16;

  private BpfCalls() {}

  static MemorySegment attr(Arena arena) {
    return arena.allocate(ATTR_SIZE, 8);
  }

  /** Names are cut to 15 characters, and only letters, digits, '_' and '.' are taken. */
  static void putName(MemorySegment attr, long at, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < Math.min(bytes.length, NAME_SIZE - 1); i++) {
      byte c = bytes[i];
      boolean allowed = c == '_' || c == '.' || Character.isLetterOrDigit(c);
      attr.set(JAVA_BYTE, at + i, allowed ? c : (byte) '_');
    }
  }

  /** The descriptor that a command returns, or an exception that names what was asked for. */
  static Fd fd(int command, MemorySegment attr, String what) {
    return new Fd((int) check(SystemCalls.tryBpf(command, attr), what));
  }

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
      MemorySegment attr = attr(arena);
      attr.set(JAVA_INT, 0, spec.type());
      attr.set(JAVA_INT, 4, spec.keySize());
      attr.set(JAVA_INT, 8, spec.valueSize());
      attr.set(JAVA_INT, 12, maxEntries);
      attr.set(JAVA_INT, 16, spec.flags());
      attr.set(JAVA_INT, 20, innerFd);
      attr.set(JAVA_INT, 24, spec.numaNode());
      putName(attr, 28, spec.name());
      boolean typed = btfFd > 0 && (spec.keyType() != 0 || spec.valueType() != 0);
      if (typed) {
        attr.set(JAVA_INT, 48, btfFd);
        attr.set(JAVA_INT, 52, spec.keyType());
        attr.set(JAVA_INT, 56, spec.valueType());
      }
      attr.set(JAVA_LONG, 64, spec.extra());
      return SystemCalls.tryBpf(MAP_CREATE, attr);
    }
  }

  static void freeze(int mapFd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = attr(arena);
      attr.set(JAVA_INT, 0, mapFd);
      check(SystemCalls.tryBpf(MAP_FREEZE, attr), "MAP_FREEZE");
    }
  }

  /** BTF_LOAD; the descriptor or -errno. An empty log asks for none. */
  static long tryBtfLoad(MemorySegment blob, MemorySegment log) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = attr(arena);
      attr.set(JAVA_LONG, 0, blob.address());
      attr.set(JAVA_INT, 16, (int) blob.byteSize());
      if (log.byteSize() > 0) {
        attr.set(JAVA_LONG, 8, log.address());
        attr.set(JAVA_INT, 20, (int) log.byteSize());
        attr.set(JAVA_INT, 24, 1);
      }
      return SystemCalls.tryBpf(BTF_LOAD, attr);
    }
  }

  /** OBJ_GET_INFO_BY_FD into {@code info}, as far as the kernel has it. */
  static long tryInfo(int fd, MemorySegment info) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = attr(arena);
      attr.set(JAVA_INT, 0, fd);
      attr.set(JAVA_INT, 4, (int) info.byteSize());
      attr.set(JAVA_LONG, 8, info.address());
      return SystemCalls.tryBpf(OBJ_GET_INFO_BY_FD, attr);
    }
  }

  /** RAW_TRACEPOINT_OPEN; an empty name for programs that know their target. */
  static long tryRawTracepointOpen(String name, int programFd) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = attr(arena);
      attr.set(JAVA_LONG, 0, name.isEmpty() ? 0 : arena.allocateFrom(name).address());
      attr.set(JAVA_INT, 8, programFd);
      return SystemCalls.tryBpf(RAW_TRACEPOINT_OPEN, attr);
    }
  }
}
