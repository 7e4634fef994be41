package dev.plumb.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Waits until one of several descriptors can be read. */
public final class Epoll implements AutoCloseable {
  private static final int EPOLL_CTL_ADD = 1;
  private static final int EPOLL_CTL_DEL = 2;
  private static final int EPOLLIN = 1;
  private static final int EPOLLPRI = 2;
  private static final int EPOLLET = 1 << 31;
  private static final int MAX_EVENTS = 64;

  /** struct epoll_event is packed on x86-64 only: u32 events, u64 data at 4 (else at 8). */
  private static final int DATA_OFFSET = SyscallNumber.ARM ? 8 : 4;

  private static final int EVENT_SIZE = DATA_OFFSET + 8;

  private final Fd fd = SystemCalls.epollCreate();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment events = arena.allocate((long) EVENT_SIZE * MAX_EVENTS, 8);

  /** Watches a descriptor; {@link #ready} then returns the token for it. */
  public void add(int watched, long token) {
    add(watched, EPOLLIN, token);
  }

  /** The same, but edge-triggered: ready only once after each write. */
  public void addEdge(int watched, long token) {
    add(watched, EPOLLIN | EPOLLET, token);
  }

  /** The same, but ready on exceptional conditions (EPOLLPRI). */
  public void addUrgent(int watched, long token) {
    add(watched, EPOLLPRI, token);
  }

  private void add(int watched, int when, long token) {
    try (Arena call = Arena.ofConfined()) {
      MemorySegment event = call.allocate(16, 8);
      event.set(JAVA_INT, 0, when);
      event.set(JAVA_LONG_UNALIGNED, DATA_OFFSET, token);
      SystemCalls.epollCtl(fd, EPOLL_CTL_ADD, watched, event);
    }
  }

  public void remove(int watched) {
    SystemCalls.epollCtl(fd, EPOLL_CTL_DEL, watched, MemorySegment.NULL);
  }

  /** Waits; returns how many descriptors are ready, 0 after the timeout. */
  public int await(int timeoutMillis) {
    return SystemCalls.epollWait(fd, events, MAX_EVENTS, timeoutMillis);
  }

  /** The token of the i-th ready descriptor of the last {@link #await}. */
  public long ready(int i) {
    return events.get(JAVA_LONG_UNALIGNED, (long) i * EVENT_SIZE + DATA_OFFSET);
  }

  @Override
  public void close() {
    fd.close();
    arena.close();
  }
}
