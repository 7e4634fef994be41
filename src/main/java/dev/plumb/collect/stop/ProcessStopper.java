package dev.plumb.collect.stop;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.Errno;
import dev.plumb.linux.ProcessCalls;
import dev.plumb.linux.Ptrace;
import dev.plumb.linux.SchedulingCalls;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntPredicate;

/**
 * Stops all threads of a process together, copies their registers and stacks, and resumes them.
 * While they are stopped, nothing is done that could be done before or after.
 *
 * <p>Must be used on one thread that ends afterwards: then the kernel resumes what could not be
 * detached here, such as a thread that did not stop.
 */
final class ProcessStopper implements AutoCloseable {
  /** At most this much of a stack is copied. */
  static final int MAX_STACK_BYTES = 256 << 10;

  /** Threads that did not stop by then are left alone. */
  static final long PATIENCE_NANOS = 200_000_000;

  private static final int LEAST_STACK_BYTES = 4 << 10;

  /** Limit for all copies together: a process may have ten thousand threads. */
  private static final long MAX_BYTES = 48 << 20;

  /** New threads of threads that were not stopped yet: each time there are fewer. */
  private static final int MAX_ROUNDS = 10;

  private static final int REHEARSALS = 2000;

  private static final long POLL_NANOS = 20_000;

  private enum State {
    SEIZED,
    STOPPED,
    GONE
  }

  private static final class Tracee {
    State state = State.SEIZED;
    int signal;
  }

  private final int pid;
  private final IntPredicate wanted;
  private final ProcReader reader = new ProcReader();
  private final Optional<ProbedReturns> probedReturns;
  private final Ptrace ptrace = new Ptrace();
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment buffer = arena.allocate(MAX_STACK_BYTES, 8);
  private final long[] registers = new long[Ptrace.REGISTERS];
  private final Map<Integer, Tracee> tracees = new LinkedHashMap<>();
  private long bytesLeft = MAX_BYTES;

  /**
   * The stopped threads.
   *
   * @param stoppedNanos from the first interruption to the last detaching
   */
  record Result(List<StoppedThread> threads, long stoppedNanos) {}

  ProcessStopper(int pid, IntPredicate wanted) {
    this.pid = pid;
    this.wanted = wanted;
    this.probedReturns = ProbedReturns.of(reader, pid);
  }

  /**
   * Stops, copies and resumes.
   *
   * @throws dev.plumb.linux.SyscallException if tracing is refused; then nothing was stopped
   */
  Result take() {
    rehearse();
    // Otherwise, on a busy machine, the stopped process would wait until we are scheduled. Without
    // the privilege, it does.
    SchedulingCalls.tryGoFirst();
    List<Integer> fresh = seizeNew();
    List<StoppedThread> threads = new ArrayList<>();
    if (fresh.isEmpty()) {
      return new Result(threads, 0);
    }
    long start = System.nanoTime();
    try {
      for (int round = 0; !fresh.isEmpty() && round < MAX_ROUNDS; round++) {
        interrupt(fresh);
        awaitStops(fresh, start + PATIENCE_NANOS);
        fresh = seizeNew();
      }
      int left = tracees.size();
      for (Map.Entry<Integer, Tracee> tracee : tracees.entrySet()) {
        threads.add(look(tracee.getKey(), tracee.getValue(), left--));
      }
      if (probedReturns.isPresent()) {
        probedReturns.get().read();
      }
    } finally {
      detach();
    }
    long stoppedNanos = System.nanoTime() - start;
    for (StoppedThread thread : threads) {
      probedReturns.ifPresent(returns -> returns.restore(thread.stack()));
    }
    return new Result(threads, stoppedNanos);
  }

  /**
   * Rehearses on this thread itself, where nothing has an effect: loading and compiling classes
   * takes longer than everything else and must not happen while the process is stopped.
   */
  private void rehearse() {
    int self = ProcessCalls.gettid();
    for (int i = 0; i < REHEARSALS; i++) {
      Tracee tracee = new Tracee();
      ptrace.tryInterrupt(self);
      isStopped(self, tracee);
      tracee.state = State.STOPPED;
      look(self, tracee, 1);
      registers[Ptrace.RSP] = buffer.address();
      halted(self, LEAST_STACK_BYTES);
      ptrace.tryDetach(self, 0);
    }
    detach();
    probedReturns.ifPresent(ProbedReturns::read);
    ProcList.tids(reader, pid);
    LockSupport.parkNanos(1);
    bytesLeft = MAX_BYTES;
  }

  /** Begins to trace those that were not known; they go on. */
  private List<Integer> seizeNew() {
    List<Integer> fresh = new ArrayList<>();
    for (int tid : ProcList.tids(reader, pid)) {
      if (!wanted.test(tid) || tracees.containsKey(tid)) {
        continue;
      }
      int result = ptrace.trySeize(tid);
      if (result >= 0) {
        tracees.put(tid, new Tracee());
        fresh.add(tid);
      } else if (result != -Errno.ESRCH && !hasEnded(tid)) {
        throw TracingRefusal.of(reader, pid, tid, -result);
      }
    }
    return fresh;
  }

  /** Its number may still be there: a process's first thread is kept until the last has ended. */
  private boolean hasEnded(int tid) {
    return ProcStat.read(reader, pid, tid).map(s -> "ZX".indexOf(s.state()) >= 0).orElse(true);
  }

  private void interrupt(List<Integer> tids) {
    for (int tid : tids) {
      ptrace.tryInterrupt(tid);
    }
  }

  private void awaitStops(List<Integer> tids, long deadline) {
    int running = tids.size();
    while (running > 0) {
      running = 0;
      for (int tid : tids) {
        running += isStopped(tid, tracees.get(tid)) ? 0 : 1;
      }
      if (running > 0) {
        if (System.nanoTime() - deadline > 0) {
          return;
        }
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /** Whether to wait no longer. */
  private boolean isStopped(int tid, Tracee tracee) {
    if (tracee.state == State.SEIZED) {
      switch (ptrace.tryWait(tid)) {
        case NONE -> {}
        case ENDED -> tracee.state = State.GONE;
        case STOPPED -> tracee.state = State.STOPPED;
        case STOPPED_BY_SIGNAL -> {
          tracee.state = State.STOPPED;
          tracee.signal = ptrace.signal();
        }
      }
    }
    return tracee.state != State.SEIZED;
  }

  private StoppedThread look(int tid, Tracee tracee, int threadsLeft) {
    if (tracee.state != State.STOPPED) {
      return StoppedThread.without(
          tid,
          tracee.state == State.GONE ? StoppedThread.Kind.GONE : StoppedThread.Kind.UNSTOPPABLE);
    }
    int size = ptrace.tryRegisters(tid, registers);
    if (size < 0) {
      return StoppedThread.without(tid, StoppedThread.Kind.GONE); // somebody killed it
    }
    if (size != 8 * Ptrace.REGISTERS) {
      return StoppedThread.without(tid, StoppedThread.Kind.FOREIGN);
    }
    int limit = Math.clamp(bytesLeft / threadsLeft & -8, LEAST_STACK_BYTES, MAX_STACK_BYTES);
    return halted(tid, limit);
  }

  private StoppedThread halted(int tid, int limit) {
    return StoppedThread.of(tid, registers, copy(tid, registers[Ptrace.RSP], limit));
  }

  private StackCopy copy(int tid, long sp, int limit) {
    long[] words = read(tid, sp, limit);
    long interrupted = StackCopy.interruptedSp(words, sp);
    return interrupted == 0
        ? new StackCopy(sp, words)
        : new StackCopy(sp, words, interrupted, read(tid, interrupted, limit));
  }

  /** Up to the end of what is mapped there: a stack ends at its mapping's end. */
  private long[] read(int tid, long processAddress, int limit) {
    long n = ProcessCalls.tryProcessVmRead(tid, processAddress, buffer.asSlice(0, limit));
    long[] words = new long[(int) Math.max(n, 0) >> 3];
    MemorySegment.copy(buffer, JAVA_LONG, 0, words, 0, words.length);
    bytesLeft = Math.max(bytesLeft - n, 0);
    return words;
  }

  private void detach() {
    for (Map.Entry<Integer, Tracee> entry : tracees.entrySet()) { // a lambda would be linked now
      Tracee tracee = entry.getValue();
      if (isStopped(entry.getKey(), tracee) && tracee.state == State.STOPPED) {
        ptrace.tryDetach(entry.getKey(), tracee.signal);
      }
    }
  }

  @Override
  public void close() {
    probedReturns.ifPresent(ProbedReturns::close);
    arena.close();
    ptrace.close();
    reader.close();
  }
}
