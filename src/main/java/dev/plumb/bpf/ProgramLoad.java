package dev.plumb.bpf;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfAttr.ProgramLoading;
import dev.plumb.bpf.object.Poison;
import dev.plumb.bpf.object.ProgramKind;
import dev.plumb.bpf.object.ProgramLinker;
import dev.plumb.bpf.object.SourceLines;
import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One PROG_LOAD: a program's attributes, and what to make of a refusal. */
final class ProgramLoad {
  private static final int FUNCTION_INFO_WORDS = 2; // struct bpf_func_info
  private static final int LINE_INFO_WORDS = 4; // struct bpf_line_info
  private static final int F_SLEEPABLE = 1 << 4;
  private static final int FIRST_LOG = 1 << 16;
  private static final int LARGEST_LOG = 1 << 26;
  private static final int MAX_TRIES = 5;

  /** Which function or tracepoint of the kernel's BTF, and of which module (fd 0: the kernel). */
  record AttachTarget(int type, int moduleFd) {
    static final AttachTarget NONE = new AttachTarget(0, 0);
  }

  private final String name;
  private final int type;
  private final int attachType;
  private boolean sleepable;
  private final AttachTarget target;
  private final ProgramLinker.Linked linked;
  private final int btfFd;
  private final SourceLines lines;
  private final String license;
  private final int version;

  ProgramLoad(
      String name,
      ProgramKind kind,
      int attachType,
      AttachTarget target,
      ProgramLinker.Linked linked,
      int btfFd,
      SourceLines lines,
      String license,
      int version) {
    this.name = name;
    this.type = kind.type();
    this.attachType = attachType;
    this.sleepable = kind.sleepable();
    this.target = target;
    this.linked = linked;
    this.btfFd = btfFd;
    this.lines = lines;
    this.license = license;
    this.version = version;
  }

  /** A bare program, for probes: no BTF, no names. */
  static ProgramLoad probe(int type, int attachType, AttachTarget target, long... code) {
    ProgramKind kind = new ProgramKind("", type, attachType, ProgramKind.Target.NONE, false);
    ProgramLinker.Linked linked =
        new ProgramLinker.Linked(code, new int[0], new int[0], List.of(), new Poison());
    return new ProgramLoad(
        "", kind, attachType, target, linked, 0, SourceLines.unknown(), "GPL", 0);
  }

  /** The same, allowed to sleep. */
  ProgramLoad sleepable() {
    sleepable = true;
    return this;
  }

  /**
   * Loads without asking for a log; if that fails, once more to learn why. A verbose load asks at
   * once for level 2, for at level 1 the verifier forgets the log of what it accepts.
   */
  Fd load(boolean verbose, StringBuilder logOut) {
    try (Arena arena = Arena.ofConfined()) {
      BpfAttr attr = attr(arena);
      long result = verbose ? -Errno.EAGAIN : call(attr);
      if (result < 0) {
        result = loadWithLog(arena, attr, verbose ? 2 : 1, logOut);
      }
      return new Fd((int) result);
    }
  }

  private long loadWithLog(Arena arena, BpfAttr attr, int level, StringBuilder logOut) {
    long result = -Errno.ENOSPC;
    for (int size = FIRST_LOG; size <= LARGEST_LOG; size *= 8) {
      MemorySegment log = arena.allocate(size);
      putLog(attr, level, log);
      result = call(attr);
      if (result != -Errno.ENOSPC) {
        logOut.append(log.getString(0, StandardCharsets.UTF_8));
        break;
      }
    }
    if (result < 0) {
      throw VerifierLog.refusal(name, (int) -result, logOut.toString(), linked.poison(), lines);
    }
    return result;
  }

  /** The descriptor or -errno, with the log as far as it fits. */
  long tryLoad(MemorySegment log) {
    try (Arena arena = Arena.ofConfined()) {
      BpfAttr attr = attr(arena);
      if (log.byteSize() > 0) {
        putLog(attr, 1, log);
      }
      return call(attr);
    }
  }

  /** The verifier gives up with EAGAIN when a signal is pending; that says nothing. */
  private static long call(BpfAttr attr) {
    long result = -Errno.EAGAIN;
    for (int i = 0; i < MAX_TRIES && result == -Errno.EAGAIN; i++) {
      result = attr.tryCall(BpfCalls.PROG_LOAD);
    }
    return result;
  }

  private static void putLog(BpfAttr attr, int level, MemorySegment log) {
    attr.put(ProgramLoading.LOG_LEVEL, level)
        .put(ProgramLoading.LOG_SIZE, log.byteSize())
        .put(ProgramLoading.LOG, log);
  }

  private BpfAttr attr(Arena arena) {
    long[] code = linked.instructions();
    BpfAttr attr =
        BpfAttr.in(arena)
            .put(ProgramLoading.TYPE, type)
            .put(ProgramLoading.INSTRUCTION_COUNT, code.length)
            .put(ProgramLoading.INSTRUCTIONS, arena.allocateFrom(JAVA_LONG, code))
            .put(ProgramLoading.LICENSE, arena.allocateFrom(license))
            .put(ProgramLoading.KERNEL_VERSION, version)
            .put(ProgramLoading.FLAGS, sleepable ? F_SLEEPABLE : 0)
            .putName(ProgramLoading.NAME, name)
            .put(ProgramLoading.ATTACH_TYPE, attachType)
            .put(ProgramLoading.ATTACH_BTF_ID, target.type())
            .put(ProgramLoading.ATTACH_BTF_FD, target.moduleFd());
    if (btfFd > 0) {
      attr.put(ProgramLoading.BTF_FD, btfFd);
      putInfo(arena, attr);
    }
    if (!linked.moduleFds().isEmpty()) {
      // Index 0 is never looked at: it stands for the kernel itself.
      MemorySegment fds = arena.allocate(4L * (linked.moduleFds().size() + 1), 4);
      for (int i = 0; i < linked.moduleFds().size(); i++) {
        fds.setAtIndex(JAVA_INT, i + 1, linked.moduleFds().get(i));
      }
      attr.put(ProgramLoading.FD_ARRAY, fds);
    }
    return attr;
  }

  private void putInfo(Arena arena, BpfAttr attr) {
    int[] functions = linked.functionInfo();
    if (functions.length > 0) {
      attr.put(ProgramLoading.FUNCTION_INFO_SIZE, FUNCTION_INFO_WORDS * 4)
          .put(ProgramLoading.FUNCTION_INFO, arena.allocateFrom(JAVA_INT, functions))
          .put(ProgramLoading.FUNCTION_INFO_COUNT, functions.length / FUNCTION_INFO_WORDS);
    }
    int[] sourceLines = linked.lineInfo();
    if (sourceLines.length > 0) {
      attr.put(ProgramLoading.LINE_INFO_SIZE, LINE_INFO_WORDS * 4)
          .put(ProgramLoading.LINE_INFO, arena.allocateFrom(JAVA_INT, sourceLines))
          .put(ProgramLoading.LINE_INFO_COUNT, sourceLines.length / LINE_INFO_WORDS);
    }
  }
}
