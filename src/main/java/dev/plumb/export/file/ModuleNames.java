package dev.plumb.export.file;

import dev.plumb.profile.Frame;
import dev.plumb.profile.FrameKind;
import java.util.Set;
import java.util.regex.Pattern;

/** Kinds of code as formats tell them that know modules only. */
public final class ModuleNames {
  public static final String KERNEL = "[kernel]";
  static final String JIT = "[jit]";
  static final String INTERPRETED = "[interpreted]";
  static final String WAITING = "[waiting]";

  private static final Pattern PERF_MAP = Pattern.compile("(.*/)?perf-\\d+\\.map");

  /** {@code [kernel.kallsyms]}, {@code …/vmlinux}, {@code …/ext4.ko.xz}, {@code [ext4]}. */
  private static final Pattern OF_KERNEL =
      Pattern.compile("\\[kernel.*|\\[guest\\.kernel.*|.*/vmlinux|.*\\.ko(\\.\\w+)?|\\[\\w+]");

  private static final Set<String> IN_USER_SPACE =
      Set.of("[vdso]", "[vsyscall]", "[heap]", "[stack]", "[anon]", "[unknown]", "[uprobes]");

  private ModuleNames() {}

  /** A frame's module; where it lies in none, one that tells its kind; empty for native code. */
  public static String text(Frame frame) {
    if (!frame.module().isEmpty()) {
      return frame.module();
    }
    return switch (frame.kind()) {
      case KERNEL -> KERNEL;
      case JIT -> JIT;
      case INTERPRETED -> INTERPRETED;
      case WAITING -> WAITING;
      case NATIVE -> "";
    };
  }

  /** The module of that text: those that tell a kind only are none. */
  public static String name(String text) {
    return switch (text) {
      case JIT, INTERPRETED, WAITING, "[unknown]" -> "";
      default -> text;
    };
  }

  public static FrameKind kind(String text) {
    return switch (text) {
      case JIT -> FrameKind.JIT;
      case INTERPRETED -> FrameKind.INTERPRETED;
      case WAITING -> FrameKind.WAITING;
      default -> {
        if (PERF_MAP.matcher(text).matches()) {
          yield FrameKind.JIT;
        }
        boolean kernel = OF_KERNEL.matcher(text).matches() && !IN_USER_SPACE.contains(text);
        yield kernel ? FrameKind.KERNEL : FrameKind.NATIVE;
      }
    };
  }
}
