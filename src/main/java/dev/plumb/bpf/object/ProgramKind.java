package dev.plumb.bpf.object;

import java.util.List;
import java.util.Optional;

/**
 * What a section's name says about the program in it: type, attach type, what it is attached to.
 *
 * @param prefix the section name, or its part before the slash
 * @param type BPF_PROG_TYPE_…
 * @param attachType what the kernel must know when it loads the program, else 0
 * @param target how the kernel's BTF spells what the program is for
 * @param sleepable whether the program may sleep
 */
public record ProgramKind(
    String prefix, int type, int attachType, Target target, boolean sleepable) {
  public static final int TYPE_KPROBE = 2;
  static final int TYPE_TRACEPOINT = 5;
  public static final int TYPE_PERF_EVENT = 7;
  static final int TYPE_RAW_TRACEPOINT = 17;
  static final int TYPE_RAW_TRACEPOINT_WRITABLE = 24;
  public static final int TYPE_TRACING = 26;
  static final int TYPE_SYSCALL = 31;

  public static final int ATTACH_TRACE_RAW_TP = 23;
  public static final int ATTACH_TRACE_FENTRY = 24;
  static final int ATTACH_TRACE_FEXIT = 25;
  static final int ATTACH_MODIFY_RETURN = 26;
  public static final int ATTACH_TRACE_ITER = 28;
  public static final int ATTACH_PERF_EVENT = 41;
  public static final int ATTACH_KPROBE_MULTI = 42;
  public static final int ATTACH_UPROBE_MULTI = 48;

  /** What the attach target is in the kernel's BTF. */
  public enum Target {
    NONE,
    TRACEPOINT,
    FUNCTION,
    ITERATOR
  }

  private static final List<ProgramKind> KINDS =
      List.of(
          plain("perf_event", TYPE_PERF_EVENT, 0),
          plain("tracepoint", TYPE_TRACEPOINT, 0),
          plain("tp", TYPE_TRACEPOINT, 0),
          plain("raw_tracepoint", TYPE_RAW_TRACEPOINT, 0),
          plain("raw_tp", TYPE_RAW_TRACEPOINT, 0),
          plain("raw_tracepoint.w", TYPE_RAW_TRACEPOINT_WRITABLE, 0),
          plain("raw_tp.w", TYPE_RAW_TRACEPOINT_WRITABLE, 0),
          tracing("tp_btf", ATTACH_TRACE_RAW_TP, Target.TRACEPOINT),
          tracing("fentry", ATTACH_TRACE_FENTRY, Target.FUNCTION),
          tracing("fexit", ATTACH_TRACE_FEXIT, Target.FUNCTION),
          tracing("fmod_ret", ATTACH_MODIFY_RETURN, Target.FUNCTION),
          sleeping(tracing("fentry.s", ATTACH_TRACE_FENTRY, Target.FUNCTION)),
          sleeping(tracing("fexit.s", ATTACH_TRACE_FEXIT, Target.FUNCTION)),
          sleeping(tracing("fmod_ret.s", ATTACH_MODIFY_RETURN, Target.FUNCTION)),
          tracing("iter", ATTACH_TRACE_ITER, Target.ITERATOR),
          sleeping(tracing("iter.s", ATTACH_TRACE_ITER, Target.ITERATOR)),
          plain("kprobe", TYPE_KPROBE, 0),
          plain("kretprobe", TYPE_KPROBE, 0),
          plain("kprobe.multi", TYPE_KPROBE, ATTACH_KPROBE_MULTI),
          plain("kretprobe.multi", TYPE_KPROBE, ATTACH_KPROBE_MULTI),
          plain("uprobe", TYPE_KPROBE, 0),
          plain("uretprobe", TYPE_KPROBE, 0),
          plain("usdt", TYPE_KPROBE, 0),
          sleeping(plain("uprobe.s", TYPE_KPROBE, 0)),
          sleeping(plain("uretprobe.s", TYPE_KPROBE, 0)),
          sleeping(plain("usdt.s", TYPE_KPROBE, 0)),
          plain("uprobe.multi", TYPE_KPROBE, ATTACH_UPROBE_MULTI),
          plain("uretprobe.multi", TYPE_KPROBE, ATTACH_UPROBE_MULTI),
          sleeping(plain("uprobe.multi.s", TYPE_KPROBE, ATTACH_UPROBE_MULTI)),
          sleeping(plain("uretprobe.multi.s", TYPE_KPROBE, ATTACH_UPROBE_MULTI)),
          sleeping(plain("syscall", TYPE_SYSCALL, 0)));

  private static ProgramKind plain(String prefix, int type, int attachType) {
    return new ProgramKind(prefix, type, attachType, Target.NONE, false);
  }

  private static ProgramKind tracing(String prefix, int attachType, Target target) {
    return new ProgramKind(prefix, TYPE_TRACING, attachType, target, false);
  }

  private static ProgramKind sleeping(ProgramKind kind) {
    return new ProgramKind(kind.prefix, kind.type, kind.attachType, kind.target, true);
  }

  /** The kind that a section name, without a leading {@code ?}, asks for. */
  static Optional<ProgramKind> ofSection(String section) {
    int slash = section.indexOf('/');
    String prefix = slash < 0 ? section : section.substring(0, slash);
    return KINDS.stream().filter(kind -> kind.prefix.equals(prefix)).findFirst();
  }

  /** What comes after the slash, which may be nothing. */
  static String targetOfSection(String section) {
    int slash = section.indexOf('/');
    return slash < 0 ? "" : section.substring(slash + 1);
  }
}
