package dev.plumb.linux.perf;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.Errno;
import dev.plumb.linux.Fd;
import dev.plumb.linux.MappedMemory;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** An open perf event of one thread, one CPU, or both. */
public final class PerfEvent implements AutoCloseable {
  /** For {@code pid}: every process. */
  public static final int ANY_PROCESS = -1;

  /** For {@code cpu}: whichever the process runs on. */
  public static final int ANY_CPU = -1;

  private static final long IOC_ENABLE = 0x2400;
  private static final long IOC_DISABLE = 0x2401;
  private static final long IOC_RESET = 0x2403;
  private static final long IOC_PERIOD = 0x40082404L;
  private static final long IOC_SET_OUTPUT = 0x2405;
  private static final long IOC_ID = 0x80082407L;
  private static final long IOC_SET_BPF = 0x40042408L;

  private static final long FLAG_PID_CGROUP = 4;
  private static final long FLAG_FD_CLOEXEC = 8;

  private final Fd fd;
  private final String what;

  private PerfEvent(Fd fd, String what) {
    this.fd = fd;
    this.what = what;
  }

  /** Opens an event: {@code pid} 0 is this thread, -1 everything; {@code cpu} -1 any CPU. */
  public static PerfEvent open(PerfEventAttr attr, int pid, int cpu) {
    return open(attr, pid, cpu, FLAG_FD_CLOEXEC);
  }

  /** Opens an event that counts one cgroup (a descriptor of its folder) on one CPU. */
  public static PerfEvent openCgroup(PerfEventAttr attr, Fd cgroup, int cpu) {
    return open(attr, cgroup.number(), cpu, FLAG_FD_CLOEXEC | FLAG_PID_CGROUP);
  }

  /** Like {@link #open}, but returns the descriptor, or {@code -errno} on failure. */
  public static long tryOpen(PerfEventAttr attr, int pid, int cpu) {
    try (Arena arena = Arena.ofConfined()) {
      return SystemCalls.tryPerfEventOpen(attr.toSegment(arena), pid, cpu, -1, FLAG_FD_CLOEXEC);
    }
  }

  private static PerfEvent open(PerfEventAttr attr, int pid, int cpu, long flags) {
    try (Arena arena = Arena.ofConfined()) {
      long result = SystemCalls.tryPerfEventOpen(attr.toSegment(arena), pid, cpu, -1, flags);
      String call = "perf_event_open(" + attr + ", pid " + pid + ", cpu " + cpu + ")";
      if (result < 0) {
        throw new SyscallException(call, (int) -result, remedy((int) -result));
      }
      return new PerfEvent(new Fd((int) result), call);
    }
  }

  private static String remedy(int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES ->
          "needs CAP_PERFMON (or root), or a lower kernel.perf_event_paranoid";
      case Errno.ENOENT, Errno.EOPNOTSUPP -> "this machine does not have that event";
      case Errno.ENODEV -> "no such CPU, or this machine does not have that event";
      case Errno.EMFILE -> "raise the limit of open files (ulimit -n)";
      case Errno.ESRCH -> "the process has ended";
      case Errno.E2BIG, Errno.EINVAL -> "this kernel does not know one of the event's options";
      default -> "";
    };
  }

  public int fd() {
    return fd.number();
  }

  public void enable() {
    ioctl("ENABLE", IOC_ENABLE, 0);
  }

  public void disable() {
    ioctl("DISABLE", IOC_DISABLE, 0);
  }

  /** Sets the count to zero. */
  public void reset() {
    ioctl("RESET", IOC_RESET, 0);
  }

  /** Changes the period, or the frequency of an event that was opened with one. */
  public void period(long period) {
    try (Arena arena = Arena.ofConfined()) {
      ioctl("PERIOD", IOC_PERIOD, arena.allocateFrom(JAVA_LONG, period).address());
    }
  }

  /** Lets this event write its records to another event's ring buffer. */
  public void redirectTo(PerfEvent other) {
    ioctl("SET_OUTPUT", IOC_SET_OUTPUT, other.fd());
  }

  /** The number that records of this event carry. */
  public long id() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment id = arena.allocate(JAVA_LONG);
      ioctl("ID", IOC_ID, id.address());
      return id.get(JAVA_LONG, 0);
    }
  }

  /** Runs a loaded BPF program whenever this event fires; it stays until the event is closed. */
  public void setBpf(int programFd) {
    ioctl("SET_BPF", IOC_SET_BPF, programFd);
  }

  /** Like {@link #setBpf}, but returns {@code -errno} on failure. */
  public long trySetBpf(int programFd) {
    return SystemCalls.tryIoctl(fd(), IOC_SET_BPF, programFd);
  }

  /** Maps the ring buffer: one page of control data, then a power of two of pages of records. */
  public MappedMemory mapRing(int dataPages) {
    return SystemCalls.mmap(
        fd,
        (1L + dataPages) * SystemCalls.PAGE_SIZE,
        SystemCalls.PROT_READ | SystemCalls.PROT_WRITE,
        SystemCalls.MAP_SHARED,
        0);
  }

  /** The count; only for an event without a read format. */
  public long read() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(JAVA_LONG);
      long n = SystemCalls.tryRead(fd(), count);
      if (n < 0) {
        throw new SyscallException("read(" + what + ")", (int) -n);
      }
      return count.get(JAVA_LONG, 0);
    }
  }

  private void ioctl(String name, long request, long argument) {
    long result = SystemCalls.tryIoctl(fd(), request, argument);
    if (result < 0) {
      throw new SyscallException("ioctl(" + what + ", " + name + ")", (int) -result);
    }
  }

  @Override
  public void close() {
    fd.close();
  }

  @Override
  public String toString() {
    return what;
  }
}
