package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The one downcall: {@code long syscall(long number, ...)} with errno captured. */
final class Syscall {
  /** On Linux only errno can be captured; looking it up by name takes milliseconds. */
  private static final long ERRNO_OFFSET = 0;

  private static final MethodHandle SYSCALL =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("syscall").orElseThrow(),
              FunctionDescriptor.of(
                  JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                  JAVA_LONG),
              Linker.Option.captureCallState("errno"),
              Linker.Option.firstVariadicArg(1));

  /** One place for errno per thread, so that a call allocates nothing. */
  private static final ThreadLocal<MemorySegment> STATE =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

  private Syscall() {}

  /** Returns what the kernel returns: the result, or {@code -errno}. */
  static long call(SyscallNumber number, long a, long b, long c, long d, long e, long f) {
    MemorySegment state = STATE.get();
    try {
      long result = (long) SYSCALL.invokeExact(state, (long) number.value(), a, b, c, d, e, f);
      return result == -1 ? -state.get(JAVA_INT, ERRNO_OFFSET) : result;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /** The result of a call, unless it is {@code -errno}: then that is thrown. */
  static long check(long result, String call) {
    if (result < 0) {
      throw new SyscallException(call, (int) -result);
    }
    return result;
  }
}
