package dev.plumb.linux;

import static dev.plumb.linux.KernelField.u32;
import static dev.plumb.linux.KernelField.u64;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** System calls that set which thread runs first; see {@link SystemCalls}. */
public final class SchedulingCalls {
  private static final int SCHED_FIFO = 1;
  private static final int SCHED_RR = 2;
  private static final int SCHED_RESET_ON_FORK = 0x4000_0000;
  private static final int SCHED_DEADLINE = 6;
  private static final int SCHED_FLAG_RESET_ON_FORK = 1;

  /** {@code struct sched_attr}; {@code StructureLayoutTest} compares it with the kernel's. */
  static final class SchedAttr {
    static final int SIZE_VER0 = 48;
    static final KernelField SIZE = u32("size", 0);
    static final KernelField POLICY = u32("sched_policy", 4);
    static final KernelField FLAGS = u64("sched_flags", 8);
    static final KernelField RUNTIME = u64("sched_runtime", 24);
    static final KernelField DEADLINE = u64("sched_deadline", 32);
    static final KernelField PERIOD = u64("sched_period", 40);

    private SchedAttr() {}
  }

  private SchedulingCalls() {}

  /** {@code int getpriority(PRIO_PROCESS, 0)}: the calling thread's nice value. */
  public static int niceValue() {
    // The kernel returns 20 - nice, which is never negative.
    return 20 - (int) Syscall.call(SyscallNumber.GETPRIORITY, 0, 0, 0, 0, 0, 0);
  }

  /** {@code int setpriority(PRIO_PROCESS, 0, nice)} of the calling thread; 0 or a negated errno. */
  public static int trySetNice(int nice) {
    return trySetNice(0, nice);
  }

  /** {@code int setpriority(PRIO_PROCESS, tid, nice)}; 0 or a negated errno. */
  public static int trySetNice(int tid, int nice) {
    return (int) Syscall.call(SyscallNumber.SETPRIORITY, 0, tid, nice, 0, 0, 0);
  }

  /**
   * {@code int sched_setscheduler(0, SCHED_FIFO, const struct sched_param *param)}: the calling
   * thread takes precedence over all threads without a real-time priority; for threads that end
   * soon.
   */
  public static int tryGoFirst() {
    return setScheduler(0, SCHED_FIFO, 1);
  }

  /**
   * {@code int sched_setscheduler(tid, SCHED_RR | SCHED_RESET_ON_FORK, const struct sched_param
   * *param)} with the lowest real-time priority; 0 or a negated errno.
   */
  public static int trySetRealTime(int tid) {
    return setScheduler(tid, SCHED_RR | SCHED_RESET_ON_FORK, 1);
  }

  /** {@code int sched_setscheduler(tid, SCHED_OTHER, …)}: its nice value stays. */
  public static int trySetTimeShared(int tid) {
    return setScheduler(tid, 0, 0);
  }

  private static int setScheduler(int tid, int policy, int priority) {
    try (Arena arena = Arena.ofConfined()) {
      long parameter = arena.allocateFrom(JAVA_INT, priority).address();
      return (int) Syscall.call(SyscallNumber.SCHED_SETSCHEDULER, tid, policy, parameter, 0, 0, 0);
    }
  }

  /**
   * {@code int sched_setattr(0, struct sched_attr *attr, 0)} with SCHED_DEADLINE: in each period
   * the calling thread gets this much time of a CPU, however busy the machine is, but no more; 0 or
   * a negated errno.
   */
  public static int trySetDeadline(long runtimeNanos, long periodNanos) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(SchedAttr.SIZE_VER0, 8);
      SchedAttr.SIZE.put(attr, SchedAttr.SIZE_VER0);
      SchedAttr.POLICY.put(attr, SCHED_DEADLINE);
      SchedAttr.FLAGS.put(attr, SCHED_FLAG_RESET_ON_FORK);
      SchedAttr.RUNTIME.put(attr, runtimeNanos);
      SchedAttr.DEADLINE.put(attr, periodNanos);
      SchedAttr.PERIOD.put(attr, periodNanos);
      return (int) Syscall.call(SyscallNumber.SCHED_SETATTR, 0, attr.address(), 0, 0, 0, 0);
    }
  }
}
