package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Stops threads of other processes and reads their registers: ptrace(2) with PTRACE_SEIZE, which
 * sends no signal and lets interrupted system calls continue.
 *
 * <p>A tracer is a thread, not a process: call all methods on the thread that seized. When that
 * thread ends, the kernel releases all threads that it traces, stopped or not.
 *
 * <p>Not for a child of this process while another thread waits for its end: the kernel reports
 * stops, too, to every thread that waits for the child (wait(2), "Linux notes").
 */
public final class Ptrace implements AutoCloseable {
  /** How many registers {@link #tryRegisters} reads. */
  public static final int REGISTERS = 27;

  // struct user_regs_struct (arch/x86/include/asm/user_64.h), in numbers of 8 bytes
  public static final int ORIG_RAX = 15;
  public static final int RIP = 16;
  public static final int RSP = 19;

  private static final int PTRACE_DETACH = 17;
  private static final int PTRACE_GETREGSET = 0x4204;
  private static final int PTRACE_SEIZE = 0x4206;
  private static final int PTRACE_INTERRUPT = 0x4207;
  private static final int NT_PRSTATUS = 1;
  private static final int PTRACE_EVENT_STOP = 128;
  private static final int WNOHANG = 1;
  private static final int WALL = 0x40000000;

  /** The index in user_regs_struct of each register, in the order of DWARF's numbers: rax rdx …. */
  private static final int[] DWARF_ORDER = {10, 12, 11, 5, 13, 14, 4, RSP, 9, 8, 7, 6, 3, 2, 1, 0};

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment status = arena.allocate(JAVA_INT);
  private final MemorySegment registers = arena.allocate(8L * REGISTERS, 8);
  private final MemorySegment iovec = arena.allocate(16, 8);

  /** What {@link #tryWait} found. */
  public enum Event {
    NONE,
    /** It is stopped. */
    STOPPED,
    /** It is stopped by a signal that was just being delivered: {@link #signal}. */
    STOPPED_BY_SIGNAL,
    ENDED
  }

  private int signal;

  /** {@code ptrace(PTRACE_SEIZE, tid, 0, 0)}: begins to trace a thread, which keeps running. */
  public int trySeize(int tid) {
    return call(PTRACE_SEIZE, tid, 0, 0);
  }

  /** {@code ptrace(PTRACE_INTERRUPT, tid, 0, 0)}: makes it stop soon. */
  public int tryInterrupt(int tid) {
    return call(PTRACE_INTERRUPT, tid, 0, 0);
  }

  /**
   * {@code ptrace(PTRACE_DETACH, tid, 0, signal)}: lets it continue.
   *
   * @param pending the signal to deliver: that of {@link Event#STOPPED_BY_SIGNAL}, or 0
   */
  public int tryDetach(int tid, int pending) {
    return call(PTRACE_DETACH, tid, 0, pending);
  }

  /** {@code pid_t wait4(tid, int *status, WNOHANG | __WALL, NULL)}. */
  public Event tryWait(int tid) {
    long found = Syscall.call(SyscallNumber.WAIT4, tid, status.address(), WNOHANG | WALL, 0, 0, 0);
    if (found == 0) {
      return Event.NONE;
    }
    int word = status.get(JAVA_INT, 0);
    if (found < 0 || (word & 0xff) != 0x7f) { // ECHILD: it ended, and was waited for
      return Event.ENDED;
    }
    if (word >>> 16 == PTRACE_EVENT_STOP) {
      return Event.STOPPED;
    }
    signal = word >>> 8 & 0xff;
    return Event.STOPPED_BY_SIGNAL;
  }

  /** The signal of the last {@link Event#STOPPED_BY_SIGNAL}. */
  public int signal() {
    return signal;
  }

  /**
   * {@code ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, struct iovec *)}: the registers of a thread
   * that is stopped, as in struct user_regs_struct. Returns how many bytes there are: fewer than
   * 216 if it runs 32-bit code.
   */
  public int tryRegisters(int tid, long[] into) {
    iovec.set(JAVA_LONG, 0, registers.address());
    iovec.set(JAVA_LONG, 8, registers.byteSize());
    int result = call(PTRACE_GETREGSET, tid, NT_PRSTATUS, iovec.address());
    if (result < 0) {
      return result;
    }
    MemorySegment.copy(registers, JAVA_LONG, 0, into, 0, REGISTERS);
    return (int) iovec.get(JAVA_LONG, 8);
  }

  /** The general registers by DWARF's numbers. */
  public static long[] general(long[] userRegisters) {
    long[] general = new long[DWARF_ORDER.length];
    for (int i = 0; i < general.length; i++) {
      general[i] = userRegisters[DWARF_ORDER[i]];
    }
    return general;
  }

  private static int call(int request, int tid, long address, long data) {
    return (int) Syscall.call(SyscallNumber.PTRACE, request, tid, address, data, 0, 0);
  }

  @Override
  public void close() {
    arena.close();
  }
}
