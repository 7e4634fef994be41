package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * System calls on files, descriptors, mappings and clocks; those on processes are in {@link
 * ProcessCalls}, on scheduling in {@link SchedulingCalls}, on mounts and namespaces in {@link
 * NamespaceCalls}. One method per call, C names kept, the C prototype as the comment.
 *
 * <p>A method either succeeds or throws {@link SyscallException}; those named {@code try…} return
 * {@code -errno} as the kernel does, for callers that handle failures themselves.
 */
public final class SystemCalls {
  public static final int O_RDONLY = 0;
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

  /** {@code int openat(int dirfd, const char *path, int flags, mode_t mode)}; returns the fd. */
  public static int tryOpen(String path, int flags, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      return (int)
          Syscall.call(
              SyscallNumber.OPENAT,
              AT_FDCWD,
              arena.allocateFrom(path).address(),
              flags | O_CLOEXEC,
              mode,
              0,
              0);
    }
  }

  /** The same with a path that is already in native memory, so that nothing is allocated. */
  public static int tryOpen(MemorySegment path, int flags) {
    return (int)
        Syscall.call(SyscallNumber.OPENAT, AT_FDCWD, path.address(), flags | O_CLOEXEC, 0, 0, 0);
  }

  /** {@code int openat(int dirfd, const char *path, int flags, mode_t mode)}. */
  public static Fd open(String path, int flags) {
    int fd = tryOpen(path, flags, 0600);
    Syscall.check(fd, "open(\"" + path + "\", 0" + Integer.toOctalString(flags) + ")");
    return new Fd(fd);
  }

  /**
   * {@code int openat2(int dirfd, const char *path, struct open_how *how, size_t size)} with the
   * folder as root: neither {@code ..} nor a link leads out of it, and magic links such as {@code
   * /proc/self/fd/1} are not followed. Since Linux 5.6.
   */
  public static int tryOpenInRoot(Fd root, String path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      // struct open_how: u64 flags, mode, resolve (RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS)
      MemorySegment how = arena.allocateFrom(JAVA_LONG, flags | O_CLOEXEC, 0, 0x10 | 0x02);
      long name = arena.allocateFrom(path).address();
      return (int)
          Syscall.call(
              SyscallNumber.OPENAT2, root.number(), name, how.address(), how.byteSize(), 0, 0);
    }
  }

  /** {@code ssize_t readlinkat(int dirfd, const char *path, char *buf, size_t size)}. */
  public static long tryReadlink(MemorySegment path, MemorySegment buffer) {
    return Syscall.call(
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
    return Syscall.call(SyscallNumber.GETDENTS64, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
  }

  /** {@code int close(int fd)}. */
  public static void close(int fd) {
    Syscall.call(SyscallNumber.CLOSE, fd, 0, 0, 0, 0, 0);
  }

  /** {@code ssize_t read(int fd, void *buf, size_t count)}; repeated when interrupted. */
  public static long tryRead(int fd, MemorySegment buffer) {
    long n;
    do {
      n = Syscall.call(SyscallNumber.READ, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
    } while (n == -Errno.EINTR);
    return n;
  }

  /** {@code ssize_t pread64(int fd, void *buf, size_t count, loff_t offset)}. */
  public static long tryPread(int fd, MemorySegment buffer, long fileOffset) {
    long n;
    do {
      n =
          Syscall.call(
              SyscallNumber.PREAD64, fd, buffer.address(), buffer.byteSize(), fileOffset, 0, 0);
    } while (n == -Errno.EINTR);
    return n;
  }

  /** {@code ssize_t write(int fd, const void *buf, size_t count)}. */
  public static long tryWrite(int fd, MemorySegment buffer) {
    long n;
    do {
      n = Syscall.call(SyscallNumber.WRITE, fd, buffer.address(), buffer.byteSize(), 0, 0, 0);
    } while (n == -Errno.EINTR);
    return n;
  }

  /** {@code void *mmap(NULL, size_t length, int prot, int flags, int fd, off_t offset)}. */
  public static MappedMemory mmap(Fd fd, long size, int prot, int flags, long fileOffset) {
    long address = Syscall.call(SyscallNumber.MMAP, 0, size, prot, flags, fd.number(), fileOffset);
    if (address < 0 && address > -4096) {
      throw new SyscallException(
          "mmap(" + size + " bytes of " + fd + " at " + fileOffset + ")", (int) -address);
    }
    return new MappedMemory(address, size);
  }

  /** {@code int munmap(void *addr, size_t length)}. */
  static void munmap(long address, long size) {
    Syscall.call(SyscallNumber.MUNMAP, address, size, 0, 0, 0, 0);
  }

  /** {@code int madvise(void *addr, size_t length, int advice)}; a negative errno if it fails. */
  public static long tryMadvise(long address, long size, int advice) {
    return Syscall.call(SyscallNumber.MADVISE, address, size, advice, 0, 0, 0);
  }

  /** {@code int ioctl(int fd, unsigned long request, unsigned long argument)}. */
  public static long tryIoctl(int fd, long request, long argument) {
    return Syscall.call(SyscallNumber.IOCTL, fd, request, argument, 0, 0, 0);
  }

  /** {@code int bpf(int cmd, union bpf_attr *attr, unsigned int size)}. */
  public static long tryBpf(int command, MemorySegment attr) {
    return Syscall.call(SyscallNumber.BPF, command, attr.address(), attr.byteSize(), 0, 0, 0);
  }

  /**
   * {@code int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
   * unsigned long flags)}.
   */
  public static long tryPerfEventOpen(MemorySegment attr, int pid, int cpu, int group, long flags) {
    return Syscall.call(SyscallNumber.PERF_EVENT_OPEN, attr.address(), pid, cpu, group, flags, 0);
  }

  /** {@code int epoll_create1(int flags)}. */
  public static Fd epollCreate() {
    return new Fd(
        (int)
            Syscall.check(
                Syscall.call(SyscallNumber.EPOLL_CREATE1, O_CLOEXEC, 0, 0, 0, 0, 0),
                "epoll_create1()"));
  }

  /** {@code int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)}. */
  public static void epollCtl(Fd epoll, int op, int fd, MemorySegment event) {
    Syscall.check(
        Syscall.call(SyscallNumber.EPOLL_CTL, epoll.number(), op, fd, event.address(), 0, 0),
        "epoll_ctl(" + epoll + ", " + op + ", " + fd + ")");
  }

  /**
   * {@code int epoll_pwait(int epfd, struct epoll_event *events, int maxevents, int timeout_ms,
   * NULL, 0)}; 0 when interrupted.
   */
  public static int epollWait(Fd epoll, MemorySegment events, int maxEvents, int timeoutMillis) {
    long n =
        Syscall.call(
            SyscallNumber.EPOLL_PWAIT,
            epoll.number(),
            events.address(),
            maxEvents,
            timeoutMillis,
            0,
            0);
    return n == -Errno.EINTR ? 0 : (int) Syscall.check(n, "epoll_pwait");
  }

  /** {@code int eventfd2(unsigned int initval, int flags)}. */
  public static Fd eventfd() {
    return new Fd(
        (int)
            Syscall.check(
                Syscall.call(SyscallNumber.EVENTFD2, 0, O_CLOEXEC | O_NONBLOCK, 0, 0, 0, 0),
                "eventfd2()"));
  }

  /** {@code int clock_gettime(clockid_t clock, struct timespec *tp)}; nanoseconds. */
  public static long clockGettime(int clock) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment timespec = arena.allocate(16, 8);
      long result =
          Syscall.call(SyscallNumber.CLOCK_GETTIME, clock, timespec.address(), 0, 0, 0, 0);
      if (result < 0) {
        throw new SyscallException("clock_gettime(" + clock + ")", (int) -result);
      }
      return timespec.get(JAVA_LONG, 0) * 1_000_000_000L + timespec.get(JAVA_LONG, 8);
    }
  }

  /** {@code int fcntl(int fd, int cmd, long argument)}. */
  public static long tryFcntl(int fd, int command, long argument) {
    return Syscall.call(SyscallNumber.FCNTL, fd, command, argument, 0, 0, 0);
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
    MemorySegment buffer = arena.allocate(FileStatus.Statx.SIZE, 8);
    Syscall.check(
        Syscall.call(
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
