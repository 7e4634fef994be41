package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * System calls, one method each, C names kept, the C prototype as the comment.
 *
 * <p>A method either succeeds or throws {@link SyscallException}; those named {@code try…} return
 * {@code -errno} as the kernel does, for callers to whom a failure is an answer.
 */
public final class SystemCalls {
  public static final int O_RDONLY = 0;
  private static final int SCHED_FIFO = 1;
  private static final int SCHED_RR = 2;
  private static final int SCHED_RESET_ON_FORK = 0x4000_0000;
  private static final int SCHED_DEADLINE = 6;
  private static final int SCHED_FLAG_RESET_ON_FORK = 1;

  /** SCHED_ATTR_SIZE_VER0. */
  private static final int SCHED_ATTR_BYTES = 48;

  public static final int O_WRONLY = 1;
  public static final int O_RDWR = 2;
  public static final int O_CREAT = 0100;
  public static final int O_CLOEXEC = 02000000;
  public static final int O_NONBLOCK = 04000;
  public static final int O_PATH = 010000000;

  /** The two architectures number these differently. */
  public static final int O_DIRECTORY = SyscallNumber.ARM ? 040000 : 0200000;

  public static final int O_NOFOLLOW = SyscallNumber.ARM ? 0100000 : 0400000;
  public static final int AT_FDCWD = -100;

  public static final int PROT_READ = 1;
  public static final int PROT_WRITE = 2;
  public static final int PROT_EXEC = 4;
  public static final int MAP_SHARED = 1;
  public static final int MAP_PRIVATE = 2;

  public static final int CLOCK_REALTIME = 0;
  public static final int CLOCK_MONOTONIC = 1;
  public static final int CLOCK_BOOTTIME = 7;

  public static final int PAGE_SIZE = PageSize.read();

  private SystemCalls() {}

  private static long call(SyscallNumber number, long a, long b, long c, long d, long e, long f) {
    return Syscall.call(number.value(), a, b, c, d, e, f);
  }

  private static long check(long result, String call) {
    if (result < 0) {
      throw new SyscallException(call, (int) -result);
    }
    return result;
  }

  /** {@code int openat(int dirfd, const char *path, int flags, mode_t mode)}; returns the fd. */
  public static int tryOpen(String path, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      return (int)
          call(
              SyscallNumber.OPENAT,
              AT_FDCWD,
              arena.allocateFrom(path).address(),
              flags | O_CLOEXEC,
              mode,
              0,
              0);
    }
  }

  /** The same with a path that stands in memory already, so that nothing is allocated. */
  public static int tryOpen(MemorySegment path, int flags) {
    return (int) call(SyscallNumber.OPENAT, AT_FDCWD, path.address(), flags | O_CLOEXEC, 0, 0, 0);
  }

  /** {@code int openat(int dirfd, const char *path, int flags, mode_t mode)}. */
  public static Fd open(String path, int flags) {
    int fd = tryOpen(path, flags, 0600);
    check(fd, "open(\"" + path + "\", 0" + Integer.toOctalString(flags) + ")");
    return new Fd(fd);
  }

  /**
   * {@code int openat2(int dirfd, const char *path, struct open_how *how, size_t size)} with the
   * folder as root: neither {@code ..} nor a link, however it is written, leads out of it, and
   * links such as {@code /proc/self/fd/1} are not followed. From Linux 5.6 on.
   */
  public static int tryOpenInRoot(Fd root, String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      // struct open_how: u64 flags, mode, resolve (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)
      MemorySegment how = arena.allocateFrom(JAVA_LONG, flags | O_CLOEXEC, 0, 0x10 | 0x02);
      long name = arena.allocateFrom(path).address();
      return (int)
          call(SyscallNumber.OPENAT2, root.number(), name, how.address(), how.byteSize(), 0, 0);
    }
  }

  /** {@code ssize_t readlinkat(int dirfd, const char *path, char *buf, size_t size)}. */
  public static long tryReadlink(MemorySegment path, MemorySegment buffer) {
    return call(
        SyscallNumber.READLINKAT,
        AT_FDCWD,
        path.address(),
        buffer.address(),
        buffer.byteSize(),
        0,
        0);
  }

  /** {@code ssize_t getdents64(int fd, void *dirp, size_t count)}. */
  public static long tryGetdents(int fd, MemorySegment buffer) {
    return call(SyscallNumber.GETDENTS64, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
  }

  /** {@code int close(int fd)}. */
  public static void close(int fd) {
    call(SyscallNumber.CLOSE, fd, 0, 0, 0, 0, 0);
  }

  /** {@code ssize_t read(int fd, void *buf, size_t count)}; repeated when interrupted. */
  public static long tryRead(int fd, MemorySegment buffer) {
    long n;
    do {
      n = call(SyscallNumber.READ, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
    } while (n == -Errno.EINTR);
    return n;
  }

  /** {@code ssize_t pread64(int fd, void *buf, size_t count, loff_t offset)}. */
  public static long tryPread(int fd, MemorySegment buffer, long fileOffset) {
    long n;
    do {
      n = call(SyscallNumber.PREAD64, fd, buffer.address(), buffer.byteSize(), fileOffset, 0, 0);
    } while (n == -Errno.EINTR);
    return n;
  }

  /** {@code ssize_t write(int fd, const void *buf, size_t count)}. */
  public static long tryWrite(int fd, MemorySegment buffer) {
    long n;
    do {
      n = call(SyscallNumber.WRITE, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
    } while (n == -Errno.EINTR);
    return n;
  }

  /** {@code void *mmap(NULL, size_t length, int prot, int flags, int fd, off_t offset)}. */
  public static MappedMemory mmap(Fd fd, long size, int prot, int flags, long fileOffset) {
    long address = call(SyscallNumber.MMAP, 0, size, prot, flags, fd.number(), fileOffset);
    if (address < 0 && address > -4096) {
      throw new SyscallException(
          "mmap(" + size + " bytes of " + fd + " at " + fileOffset + ")", (int) -address);
    }
    return new MappedMemory(address, size);
  }

  /** {@code int munmap(void *addr, size_t length)}. */
  static void munmap(long address, long size) {
    call(SyscallNumber.MUNMAP, address, size, 0, 0, 0, 0);
  }

  /** {@code int madvise(void *addr, size_t length, int advice)}; a negative errno if it fails. */
  public static long tryMadvise(long address, long size, int advice) {
    return call(SyscallNumber.MADVISE, address, size, advice, 0, 0, 0);
  }

  /** {@code int ioctl(int fd, unsigned long request, unsigned long argument)}. */
  public static long tryIoctl(int fd, long request, long argument) {
    return call(SyscallNumber.IOCTL, fd, request, argument, 0, 0, 0);
  }

  /** {@code int bpf(int cmd, union bpf_attr *attr, unsigned int size)}. */
  public static long tryBpf(int command, MemorySegment attr) {
    return call(SyscallNumber.BPF, command, attr.address(), attr.byteSize(), 0, 0, 0);
  }

  /**
   * {@code int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
   * unsigned long flags)}.
   */
  public static long tryPerfEventOpen(MemorySegment attr, int pid, int cpu, int group, long flags) {
    return call(SyscallNumber.PERF_EVENT_OPEN, attr.address(), pid, cpu, group, flags, 0);
  }

  /** {@code int epoll_create1(int flags)}. */
  public static Fd epollCreate() {
    return new Fd(
        (int)
            check(call(SyscallNumber.EPOLL_CREATE1, O_CLOEXEC, 0, 0, 0, 0, 0), "epoll_create1()"));
  }

  /** {@code int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)}. */
  public static void epollCtl(Fd epoll, int op, int fd, MemorySegment event) {
    check(
        call(SyscallNumber.EPOLL_CTL, epoll.number(), op, fd, event.address(), 0, 0),
        "epoll_ctl(" + epoll + ", " + op + ", " + fd + ")");
  }

  /**
   * {@code int epoll_pwait(int epfd, struct epoll_event *events, int maxevents, int timeout_ms,
   * NULL, 0)}; 0 when interrupted.
   */
  public static int epollWait(Fd epoll, MemorySegment events, int maxEvents, int timeoutMillis) {
    long n =
        call(
            SyscallNumber.EPOLL_PWAIT,
            epoll.number(),
            events.address(),
            maxEvents,
            timeoutMillis,
            0,
            0);
    return n == -Errno.EINTR ? 0 : (int) check(n, "epoll_pwait");
  }

  /** {@code int eventfd2(unsigned int initval, int flags)}. */
  public static Fd eventfd() {
    return new Fd(
        (int)
            check(
                call(SyscallNumber.EVENTFD2, 0, O_CLOEXEC | O_NONBLOCK, 0, 0, 0, 0), "eventfd2()"));
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
      return call(
          SyscallNumber.PROCESS_VM_READV, pid, iovecs.address(), 1, iovecs.address() + 16, 1, 0);
    }
  }

  /** {@code int pidfd_open(pid_t pid, 0)}. */
  public static int tryPidfdOpen(int pid) {
    return (int) call(SyscallNumber.PIDFD_OPEN, pid, 0, 0, 0, 0, 0);
  }

  /** {@code int pidfd_send_signal(int pidfd, int sig, NULL, 0)}. */
  public static int tryPidfdSendSignal(Fd pidfd, int signal) {
    return (int) call(SyscallNumber.PIDFD_SEND_SIGNAL, pidfd.number(), signal, 0, 0, 0, 0);
  }

  /** {@code int kill(pid_t pid, int sig)}. */
  public static int tryKill(int pid, int signal) {
    return (int) call(SyscallNumber.KILL, pid, signal, 0, 0, 0, 0);
  }

  /** {@code SIG_IGN}. */
  private static final long SIG_IGN = 1;

  /**
   * Whether a signal is ignored, as a shell ignores SIGINT for what it runs in the background.
   *
   * <p>{@code int rt_sigaction(int sig, NULL, struct kernel_sigaction *old, 8)}.
   */
  public static boolean isIgnored(int signal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment old = arena.allocate(KERNEL_SIGACTION_SIZE, 8);
      call(SyscallNumber.RT_SIGACTION, signal, 0, old.address(), 8, 0, 0);
      return old.get(ValueLayout.JAVA_LONG, 0) == SIG_IGN;
    }
  }

  /** Lets a signal do again what it does by default. The JVM then lets us handle it. */
  public static void setDefaultAction(int signal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment none = arena.allocate(KERNEL_SIGACTION_SIZE, 8);
      call(SyscallNumber.RT_SIGACTION, signal, none.address(), 0, 8, 0, 0);
    }
  }

  /** struct kernel_sigaction: 0 handler 8 flags 16 restorer 24 mask. */
  private static final int KERNEL_SIGACTION_SIZE = 32;

  /** {@code int waitid(P_PID, pid_t pid, siginfo_t *info, int options, NULL)}. */
  public static long tryWaitid(int pid, MemorySegment siginfo, int options) {
    long result;
    do {
      result = call(SyscallNumber.WAITID, 1, pid, siginfo.address(), options, 0, 0);
    } while (result == -Errno.EINTR);
    return result;
  }

  /** {@code int clock_gettime(clockid_t clock, struct timespec *tp)}; nanoseconds. */
  public static long clockGettime(int clock) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment timespec = arena.allocate(16, 8);
      long result = call(SyscallNumber.CLOCK_GETTIME, clock, timespec.address(), 0, 0, 0, 0);
      if (result < 0) {
        throw new SyscallException("clock_gettime(" + clock + ")", (int) -result);
      }
      return timespec.get(JAVA_LONG, 0) * 1_000_000_000L + timespec.get(JAVA_LONG, 8);
    }
  }

  /** {@code int prlimit64(0, int resource, NULL, struct rlimit64 *old)}; the soft limit. */
  public static long getrlimit(int resource) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment limit = arena.allocate(16, 8);
      check(
          call(SyscallNumber.PRLIMIT64, 0, resource, 0, limit.address(), 0, 0),
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
      return (int) call(SyscallNumber.PRLIMIT64, 0, resource, both.address(), 0, 0, 0);
    }
  }

  /** {@code int getpriority(PRIO_PROCESS, 0)}: the calling thread's nice value. */
  public static int niceValue() {
    // The kernel gives 20 - nice, so that it is never negative.
    return 20 - (int) call(SyscallNumber.GETPRIORITY, 0, 0, 0, 0, 0, 0);
  }

  /** {@code mode_t umask(mode_t mask)}: the one that this process had before. */
  public static int umask(int mask) {
    return (int) call(SyscallNumber.UMASK, mask, 0, 0, 0, 0, 0);
  }

  /** {@code int setpriority(PRIO_PROCESS, 0, nice)} of the calling thread; 0 or a negated errno. */
  public static int trySetNice(int nice) {
    return trySetNice(0, nice);
  }

  /** {@code int setpriority(PRIO_PROCESS, tid, nice)}; 0 or a negated errno. */
  public static int trySetNice(int tid, int nice) {
    return (int) call(SyscallNumber.SETPRIORITY, 0, tid, nice, 0, 0, 0);
  }

  /**
   * {@code int mount(const char *source, const char *target, const char *type, unsigned long flags,
   * NULL)}.
   */
  public static int tryMount(String source, String target, String type, long flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int)
          call(
              SyscallNumber.MOUNT,
              arena.allocateFrom(source).address(),
              arena.allocateFrom(target).address(),
              arena.allocateFrom(type).address(),
              flags,
              0,
              0);
    }
  }

  /** {@code int umount2(const char *target, int flags)}. */
  public static int tryUmount(String target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      return (int)
          call(SyscallNumber.UMOUNT2, arena.allocateFrom(target).address(), flags, 0, 0, 0, 0);
    }
  }

  /**
   * Mounts a file system where no path leads to: {@code fsopen(type, FSOPEN_CLOEXEC)}, {@code
   * fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0)}, {@code fsmount(fs, FSMOUNT_CLOEXEC, 0)}. It
   * is reached through the descriptor and gone when that is closed.
   */
  public static Fd detachedMount(String type) {
    try (Arena arena = Arena.ofConfined()) {
      long context = call(SyscallNumber.FSOPEN, arena.allocateFrom(type).address(), 1, 0, 0, 0, 0);
      check(context, "fsopen(\"" + type + "\")");
      try (Fd fs = new Fd((int) context)) {
        check(
            call(SyscallNumber.FSCONFIG, fs.number(), 6 /* CMD_CREATE */, 0, 0, 0, 0),
            "fsconfig(" + type + ", FSCONFIG_CMD_CREATE)");
        long mount = call(SyscallNumber.FSMOUNT, fs.number(), 1, 0, 0, 0, 0);
        check(mount, "fsmount(" + type + ")");
        return new Fd((int) mount);
      }
    }
  }

  /** {@code int setns(int fd, int nstype)}. */
  public static int trySetns(Fd fd, int kind) {
    return (int) call(SyscallNumber.SETNS, fd.number(), kind, 0, 0, 0, 0);
  }

  /** {@code int unshare(int flags)}. */
  public static int tryUnshare(int flags) {
    return (int) call(SyscallNumber.UNSHARE, flags, 0, 0, 0, 0, 0);
  }

  /**
   * {@code int sched_setscheduler(0, SCHED_FIFO, const struct sched_param *param)}: the calling
   * thread goes before all that have no such priority; for threads that end soon.
   */
  public static int tryGoFirst() {
    return setScheduler(0, SCHED_FIFO, 1);
  }

  /**
   * {@code int sched_setscheduler(tid, SCHED_RR | SCHED_RESET_ON_FORK, const struct sched_param
   * *param)} with the lowest priority there is; 0 or a negated errno.
   */
  public static int trySetRealTime(int tid) {
    return setScheduler(tid, SCHED_RR | SCHED_RESET_ON_FORK, 1);
  }

  /** {@code int sched_setscheduler(tid, SCHED_OTHER, …)}: its nice value is what it was. */
  public static int trySetTimeShared(int tid) {
    return setScheduler(tid, 0, 0);
  }

  private static int setScheduler(int tid, int policy, int priority) {
    try (Arena arena = Arena.ofConfined()) {
      long parameter = arena.allocateFrom(JAVA_INT, priority).address();
      return (int) call(SyscallNumber.SCHED_SETSCHEDULER, tid, policy, parameter, 0, 0, 0);
    }
  }

  /**
   * {@code int sched_setattr(0, struct sched_attr *attr, 0)} with SCHED_DEADLINE: of each period
   * the calling thread gets so much of a CPU, however busy the machine is, and no more; 0 or a
   * negated errno.
   */
  public static int trySetDeadline(long runtimeNanos, long periodNanos) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attr = arena.allocate(SCHED_ATTR_BYTES, 8);
      attr.set(JAVA_INT, 0, SCHED_ATTR_BYTES); // size
      attr.set(JAVA_INT, 4, SCHED_DEADLINE); // sched_policy
      attr.set(JAVA_LONG, 8, SCHED_FLAG_RESET_ON_FORK); // sched_flags
      attr.set(JAVA_LONG, 24, runtimeNanos); // sched_runtime
      attr.set(JAVA_LONG, 32, periodNanos); // sched_deadline
      attr.set(JAVA_LONG, 40, periodNanos); // sched_period
      return (int) call(SyscallNumber.SCHED_SETATTR, 0, attr.address(), 0, 0, 0, 0);
    }
  }

  /** {@code pid_t setsid(void)}: the new session, or a negated errno. */
  public static int trySetsid() {
    return (int) call(SyscallNumber.SETSID, 0, 0, 0, 0, 0, 0);
  }

  /** {@code int fcntl(int fd, int cmd, long argument)}. */
  public static long tryFcntl(int fd, int command, long argument) {
    return call(SyscallNumber.FCNTL, fd, command, argument, 0, 0, 0);
  }

  /** {@code pid_t gettid(void)}. */
  public static int gettid() {
    return (int) call(SyscallNumber.GETTID, 0, 0, 0, 0, 0, 0);
  }

  /** {@code pid_t getpid(void)}. */
  public static int getpid() {
    return (int) call(SyscallNumber.GETPID, 0, 0, 0, 0, 0, 0);
  }

  /**
   * {@code int statx(int dirfd, const char *path, int flags, unsigned int mask, struct statx *buf)}
   * on an open descriptor (AT_EMPTY_PATH).
   */
  public static FileIdentity statx(Fd fd) {
    return fileStatus(fd).identity();
  }

  /** The same, with its kind and owner. */
  public static FileStatus fileStatus(Fd fd) {
    try (Arena arena = Arena.ofConfined()) {
      return FileStatus.of(statx(fd, arena));
    }
  }

  private static MemorySegment statx(Fd fd, Arena arena) {
    MemorySegment buffer = arena.allocate(256, 8);
    check(
        call(
            SyscallNumber.STATX,
            fd.number(),
            arena.allocateFrom("").address(),
            0x1000 /* AT_EMPTY_PATH */,
            0x7ff /* STATX_BASIC_STATS */,
            buffer.address(),
            0),
        "statx(" + fd + ")");
    return buffer;
  }
}
