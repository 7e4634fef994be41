package dev.plumb.process;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.linux.Clock;
import dev.plumb.linux.Errno;
import dev.plumb.linux.MappedMemory;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.SystemCalls;
import dev.plumb.linux.perf.PerfEvent;
import dev.plumb.linux.perf.PerfEventAttr;
import dev.plumb.linux.perf.PerfEventAttr.Flag;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Reads the kernel's own records of fork, exec, mmap of code, comm changes and exit on every CPU:
 * perf's side band, attached to an event that never fires. Feeds a {@link ProcessTable}.
 */
public final class SideBand implements AutoCloseable {
  private static final int RECORD_LOST = 2;
  private static final int RECORD_COMM = 3;
  private static final int RECORD_EXIT = 4;
  private static final int RECORD_FORK = 7;
  private static final int RECORD_MMAP2 = 10;
  private static final int MISC_COMM_EXEC = 1 << 13;

  /** The largest record: its size is 16 bits. */
  private static final int MAX_RECORD = 1 << 16;

  // struct perf_event_mmap_page
  private static final long DATA_HEAD = 1024;
  private static final long DATA_TAIL = 1032;

  // struct sample_id with SAMPLE_TID | SAMPLE_TIME, the last 16 bytes of each record
  private static final int TRAILER = 16;

  /** How long a record may take from its time stamp until it stands in its ring. */
  private static final long SETTLED_NANOS = 1_000_000;

  private static final VarHandle POSITION = ValueLayout.JAVA_LONG.varHandle();

  private record Ring(int cpu, PerfEvent event, MappedMemory memory) {}

  private final ProcessTable processes;
  private final BackingFiles files;
  private final List<Ring> rings = new ArrayList<>();
  private final List<ProcessEvent> pending = new ArrayList<>();

  /** A record, copied at once: to read numbers of a segment costs much before it is compiled. */
  private final long[] words = new long[MAX_RECORD / 8];

  private final int dataPages;
  private long lost;

  public SideBand(ProcessTable processes, BackingFiles files, int[] cpus) {
    this.processes = processes;
    this.files = files;
    this.dataPages = cpus.length > 64 ? 16 : 64;
    try {
      for (int cpu : cpus) {
        addCpu(cpu);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Follows CPUs that go online or offline: an event does not survive its CPU, so it is opened
   * again.
   */
  public void follow(int[] online) {
    rings.removeIf(
        ring -> {
          boolean gone = Arrays.stream(online).noneMatch(cpu -> cpu == ring.cpu());
          if (gone) {
            read(ring);
            close(ring);
          }
          return gone;
        });
    for (int cpu : online) {
      if (rings.stream().noneMatch(ring -> ring.cpu() == cpu)) {
        addCpu(cpu);
      }
    }
  }

  private void addCpu(int cpu) {
    PerfEventAttr attr =
        PerfEventAttr.software(PerfEventAttr.SW_DUMMY)
            .sampleType(PerfEventAttr.SAMPLE_TID | PerfEventAttr.SAMPLE_TIME)
            .clock(SystemCalls.CLOCK_MONOTONIC)
            .wakeupWatermark(dataPages * SystemCalls.PAGE_SIZE / 2)
            .flags(Flag.MMAP, Flag.MMAP2, Flag.COMM, Flag.COMM_EXEC, Flag.TASK, Flag.SAMPLE_ID_ALL);
    PerfEvent event;
    try {
      event = PerfEvent.open(attr, PerfEvent.ANY_PROCESS, cpu);
    } catch (SyscallException e) {
      if (e.errno() == Errno.ENODEV) {
        return; // it just went offline; follow adds it when it is back
      }
      throw e;
    }
    try {
      rings.add(new Ring(cpu, event, event.mapRing(dataPages)));
    } catch (RuntimeException e) {
      event.close();
      throw e;
    }
  }

  /** File descriptors that become readable when a ring buffer is half full. */
  public List<Integer> descriptors() {
    return rings.stream().map(r -> r.event().fd()).toList();
  }

  /** Records the kernel could not write because a ring was full. */
  public long lost() {
    return lost;
  }

  /**
   * Reads the ring buffers and brings the process table up to a moment ago. Younger events wait for
   * the next call: each CPU has its own ring buffer, and in another one, earlier events may still
   * be missing.
   *
   * @return the time up to which the process table is complete
   */
  public long drain() {
    long settled = Clock.monotonic() - SETTLED_NANOS;
    rings.forEach(this::read);
    apply(settled);
    return settled;
  }

  /** As {@link #drain}, for the last time: everything counts. */
  public void drainAll() {
    rings.forEach(this::read);
    apply(Long.MAX_VALUE);
  }

  private void apply(long until) {
    pending.sort(Comparator.comparingLong(ProcessEvent::time));
    int n = 0;
    while (n < pending.size() && pending.get(n).time() <= until) {
      apply(pending.get(n++));
    }
    pending.subList(0, n).clear();
  }

  private void apply(ProcessEvent event) {
    switch (event) {
      case ProcessEvent.Forked e ->
          processes.forked(e.pid(), e.tid(), e.parentPid(), e.parentTid(), e.time());
      case ProcessEvent.Execed e -> processes.execed(e.pid(), e.comm(), e.time());
      case ProcessEvent.Renamed e -> processes.renamed(e.pid(), e.tid(), e.comm());
      case ProcessEvent.Exited e -> {
        // One per thread; the process ends with its leader.
        if (e.pid() == e.tid()) {
          processes.exited(e.pid(), e.time());
        }
      }
      case ProcessEvent.Mapped e -> {
        BackingFile file =
            files.of(e.pid(), e.start(), e.end(), e.major(), e.minor(), e.inode(), e.name());
        processes.mapped(e.pid(), new Mapping(e.start(), e.end(), e.fileOffset(), file), e.time());
      }
    }
  }

  private void read(Ring ring) {
    MemorySegment control = ring.memory().segment();
    MemorySegment data = control.asSlice(SystemCalls.PAGE_SIZE);
    long head = (long) POSITION.getAcquire(control, DATA_HEAD);
    long tail = control.get(JAVA_LONG, DATA_TAIL);
    while (tail != head) {
      long at = tail % data.byteSize();
      int size = (int) (data.get(JAVA_LONG, at) >>> 48);
      if (size < 8 || size > head - tail) {
        throw new IllegalStateException("perf ring: record of " + size + " bytes");
      }
      copy(data, at, size);
      parse(size);
      tail += size;
    }
    POSITION.setRelease(control, DATA_TAIL, tail);
  }

  /** The end of a record may stand at the start of its ring. */
  private void copy(MemorySegment data, long at, int size) {
    int untilEnd = (int) Math.min(size, data.byteSize() - at) / 8;
    MemorySegment.copy(data, JAVA_LONG, at, words, 0, untilEnd);
    if (untilEnd < size / 8) {
      MemorySegment.copy(data, JAVA_LONG, 0, words, untilEnd, size / 8 - untilEnd);
    }
  }

  /** Bytes 0 to 7 are the header: u32 type, u16 misc, u16 size. */
  private void parse(int size) {
    long time = words[size / 8 - 1];
    switch (number(0)) {
      case RECORD_MMAP2 -> pending.add(mmap(size, time));
      case RECORD_COMM -> pending.add(comm(size, time));
      // pid, ppid, tid, ptid
      case RECORD_FORK ->
          pending.add(new ProcessEvent.Forked(time, number(8), number(16), number(12), number(20)));
      // pid, ppid, tid, ptid
      case RECORD_EXIT -> pending.add(new ProcessEvent.Exited(time, number(8), number(16)));
      // id, lost
      case RECORD_LOST -> {
        lost += words[2];
        processes.lost(time);
      }
      default -> {}
    }
  }

  /** pid, tid, addr, len, pgoff, maj, min, ino, ino_generation, prot, flags, filename. */
  private ProcessEvent mmap(int size, long time) {
    long start = words[2];
    return new ProcessEvent.Mapped(
        time,
        number(8),
        start,
        start + words[3],
        words[4],
        number(40),
        number(44),
        words[6],
        text(72, size));
  }

  /** pid, tid, comm. */
  private ProcessEvent comm(int size, long time) {
    String comm = text(16, size).intern(); // few distinct names
    return (number(4) & MISC_COMM_EXEC) != 0
        ? new ProcessEvent.Execed(time, number(8), comm)
        : new ProcessEvent.Renamed(time, number(8), number(12), comm);
  }

  /** The 32-bit number at a byte of the record. */
  private int number(int at) {
    return (int) (words[at / 8] >>> 8 * (at % 8));
  }

  private String text(int from, int size) {
    byte[] bytes = new byte[size - TRAILER - from];
    int length = 0;
    while (length < bytes.length && (byte) number(from + length) != 0) {
      bytes[length] = (byte) number(from + length++);
    }
    return new String(bytes, 0, length, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    rings.forEach(SideBand::close);
    rings.clear();
  }

  private static void close(Ring ring) {
    ring.memory().close();
    ring.event().close();
  }
}
