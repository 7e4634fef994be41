package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** System calls on processes: ids, signals, memory, limits; see {@link SystemCalls}. */
public final class ProcessCalls {
  /** {@code SIG_IGN}. */
  private static final long SIG_IGN = 1;

  /** struct kernel_sigaction: 0 handler 8 flags 16 restorer 24 mask. */
  private static final int KERNEL_SIGACTION_SIZE = 32;

  private ProcessCalls() {}

  /** {@code pid_t getpid(void)}. */
  public static int getpid() {
    return (int) Syscall.call(SyscallNumber.GETPID, 0, 0, 0, 0, 0, 0);
  }

  /** {@code pid_t gettid(void)}. */
  public static int gettid() {
    return (int) Syscall.call(SyscallNumber.GETTID, 0, 0, 0, 0, 0, 0);
  }

  /** {@code int pidfd_open(pid_t pid, 0)}. */
  public static int tryPidfdOpen(int pid) {
    return (int) Syscall.call(SyscallNumber.PIDFD_OPEN, pid, 0, 0, 0, 0, 0);
  }

  /** {@code int pidfd_send_signal(int pidfd, int sig, NULL, 0)}. */
  public static int tryPidfdSendSignal(Fd pidfd, int signal) {
    return (int) Syscall.call(SyscallNumber.PIDFD_SEND_SIGNAL, pidfd.number(), signal, 0, 0, 0, 0);
  }

  /** {@code int kill(pid_t pid, int sig)}. */
  public static int tryKill(int pid, int signal) {
    return (int) Syscall.call(SyscallNumber.KILL, pid, signal, 0, 0, 0, 0);
  }

  /** {@code int waitid(P_PID, pid_t pid, siginfo_t *info, int options, NULL)}. */
  public static long tryWaitid(int pid, MemorySegment siginfo, int options) {
    long result;
    do {
      result = Syscall.call(SyscallNumber.WAITID, 1, pid, siginfo.address(), options, 0, 0);
    } while (result == -Errno.EINTR);
    return result;
  }

  /**
   * Whether a signal is ignored, as a shell ignores SIGINT for what it runs in the background.
   *
   * <p>{@code int rt_sigaction(int sig, NULL, struct kernel_sigaction *old, 8)}.
   */
  public static boolean isIgnored(int signal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment old = arena.allocate(KERNEL_SIGACTION_SIZE, 8);
      Syscall.call(SyscallNumber.RT_SIGACTION, signal, 0, old.address(), 8, 0, 0);
      return old.get(JAVA_LONG, 0) == SIG_IGN;
    }
  }

  /** Restores a signal's default action. Only then does the JVM let us handle it. */
  public static void setDefaultAction(int signal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment none = arena.allocate(KERNEL_SIGACTION_SIZE, 8);
      Syscall.call(SyscallNumber.RT_SIGACTION, signal, none.address(), 0, 8, 0, 0);
    }
  }

  /**
   * {@code ssize_t process_vm_readv(pid_t pid, const struct iovec *local, 1, const struct iovec
   * *remote, 1, 0)}; returns the bytes read, fewer where the range is not wholly mapped.
   */
  public static long tryProcessVmRead(int pid, long processAddress, MemorySegment buffer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment iovecs = arena.allocate(32, 8);
      iovecs.set(JAVA_LONG, 0, buffer.address());
      iovecs.set(JAVA_LONG, 8, buffer.byteSize());
      iovecs.set(JAVA_LONG, 16, processAddress);
      iovecs.set(JAVA_LONG, 24, buffer.byteSize());
      return Syscall.call(
          SyscallNumber.PROCESS_VM_READV, pid, iovecs.address(), 1, iovecs.address() + 16, 1, 0);
    }
  }

  /** {@code int prlimit64(0, int resource, NULL, struct rlimit64 *old)}; the soft limit. */
  public static long getrlimit(int resource) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(16, 8);
      Syscall.check(
          Syscall.call(SyscallNumber.PRLIMIT64, 0, resource, 0, limit.address(), 0, 0),
          "prlimit64(" + resource + ")");
      return limit.get(JAVA_LONG, 0);
    }
  }

  /**
   * {@code int prlimit64(0, int resource, const struct rlimit64 *new, NULL)}: soft and hard limit;
   * {@code -errno} if that is refused.
   */
  public static int trySetrlimit(int resource, long limit) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment both = arena.allocateFrom(JAVA_LONG, limit, limit);
      return (int) Syscall.call(SyscallNumber.PRLIMIT64, 0, resource, both.address(), 0, 0, 0);
    }
  }

  /** {@code mode_t umask(mode_t mask)}: returns the mask that this process had before. */
  public static int umask(int mask) {
    return (int) Syscall.call(SyscallNumber.UMASK, mask, 0, 0, 0, 0, 0);
  }

  /** {@code pid_t setsid(void)}: the new session, or a negated errno. */
  public static int trySetsid() {
    return (int) Syscall.call(SyscallNumber.SETSID, 0, 0, 0, 0, 0, 0);
  }
}
