package dev.plumb.process;

import dev.plumb.linux.Clock;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.proc.ProcCgroup;
import dev.plumb.linux.proc.ProcList;
import dev.plumb.linux.proc.ProcMaps;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStat;
import dev.plumb.linux.proc.ProcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Finds the image of a process: from the events in a {@link ProcessTable}, and from {@code /proc}
 * for anything older.
 */
public final class ProcessFinder implements AutoCloseable {
  private static final long SLICE_NANOS = 20_000_000;
  private static final long REFRESH_NANOS = 1_000_000_000;

  /** The resolution of process start times in /proc is 10 ms. */
  private static final long START_TOLERANCE_NANOS = 20_000_000;

  /** Mappings read from /proc are older than any event. */
  private static final long BEFORE_EVENTS = 0;

  private final ProcessTable table;
  private final BackingFiles files;
  private final ProcReader reader = new ProcReader();
  private final Clock clock = Clock.take();
  private final Deque<Integer> unread = new ArrayDeque<>();
  private long unreadable;

  public ProcessFinder(ProcessTable table, BackingFiles files) {
    this.table = table;
    this.files = files;
  }

  /** Notes which processes are there now, to read about them bit by bit; all if none is named. */
  public void scanLater(List<Integer> pids) {
    if (!pids.isEmpty()) {
      unread.addAll(pids);
      return;
    }
    for (int pid : ProcList.pids(reader)) {
      unread.add(pid);
    }
  }

  /** Reads about some of them, for at most a few milliseconds. */
  public void scanSome() {
    long end = System.nanoTime() + SLICE_NANOS;
    while (!unread.isEmpty() && System.nanoTime() < end) {
      lookUp(unread.poll());
    }
  }

  /** The running processes that have used most CPU time, busiest first. */
  public List<Integer> busiest(int most) {
    record Busy(int pid, long ticks) {}
    List<Busy> all = new ArrayList<>();
    for (int pid : ProcList.pids(reader)) {
      ProcStat.read(reader, pid)
          .filter(stat -> !stat.isKernelThread())
          .ifPresent(stat -> all.add(new Busy(pid, stat.userTicks() + stat.systemTicks())));
    }
    all.sort(Comparator.comparingLong(Busy::ticks).reversed());
    return all.stream().limit(most).map(Busy::pid).toList();
  }

  /** The image of a process at a time; empty if it ended before anything was known about it. */
  public Optional<ProcessImage> find(int pid, long time) {
    Optional<ProcessImage> known = table.imageAt(pid, time);
    if (known.isPresent() && table.isDoubtful(known.get())) {
      check(known.get());
    } else if (known.isPresent() && !known.get().incomplete()) {
      return known;
    }
    lookUp(pid);
    return table.imageAt(pid, time);
  }

  /** Events were lost: what is known of a process is compared with what it is now. */
  private void check(ProcessImage image) {
    long asOf = Clock.monotonic();
    Optional<ProcStat> stat = ProcStat.read(reader, image.pid());
    if (stat.isEmpty() || image.incomplete()) {
      return;
    }
    boolean isAnother = startOf(stat.get()) > image.from() + START_TOLERANCE_NANOS;
    if (isAnother || runsAnother(image)) {
      table.replaced(image.pid(), stat.get().comm(), asOf);
    } else {
      image.refreshed(0);
      refresh(image, asOf);
    }
  }

  /** Whether a process has other code first in its memory than its image: another program. */
  private boolean runsAnother(ProcessImage image) {
    Optional<Mapping> before = firstOfFile(image.code());
    List<Mapping> now = new ArrayList<>();
    try {
      forEachMapping(image.pid(), now::add);
    } catch (SyscallException e) {
      return false; // unreadable: nothing contradicts what is known
    }
    Optional<Mapping> first = firstOfFile(now);
    return first.isPresent() && !first.equals(before);
  }

  /** The program's own: libraries lie above it. */
  private static Optional<Mapping> firstOfFile(List<Mapping> byAddress) {
    return byAddress.stream().filter(m -> m.file().kind() == BackingFile.Kind.FILE).findFirst();
  }

  private long startOf(ProcStat stat) {
    return clock.wallOfBoot(stat.startBootNanos()) - clock.monotonicOffset();
  }

  /** Reads the name of a thread if no event has reported it. */
  public void nameThread(ProcessImage image, int tid) {
    if (!image.knowsThread(tid)) {
      ProcStat.read(reader, image.pid(), tid).ifPresent(stat -> image.name(tid, stat.comm()));
    }
  }

  private void lookUp(int pid) {
    long asOf = Clock.monotonic();
    Optional<ProcStat> stat = ProcStat.read(reader, pid);
    if (stat.isEmpty()) {
      return;
    }
    ProcessImage image = table.found(pid, startOf(stat.get()), stat.get().comm(), asOf);
    if (!image.incomplete()) {
      return;
    }
    try {
      readMappings(image);
    } catch (SyscallException e) {
      // A process of another user that we may not read: its frames have no names.
      unreadable++;
    }
    image.incomplete(false);
    place(image);
  }

  private void readMappings(ProcessImage image) {
    forEachMapping(image.pid(), mapping -> image.mapEarlier(mapping, BEFORE_EVENTS));
  }

  /**
   * Reads the mappings of a process from /proc again, at most once per second: no event reports
   * that memory becomes executable.
   */
  public void refresh(ProcessImage image, long time) {
    if (image.isOver() || image.incomplete() || time < image.refreshed() + REFRESH_NANOS) {
      return;
    }
    image.refreshed(time);
    try {
      forEachMapping(
          image.pid(),
          mapping -> {
            if (!image.mappingAt(mapping.start(), time).equals(Optional.of(mapping))) {
              image.map(mapping, time);
            }
          });
    } catch (SyscallException e) {
      unreadable++;
    }
  }

  private void forEachMapping(int pid, Consumer<Mapping> action) {
    ProcMaps.forEach(
        reader,
        pid,
        line -> {
          if (line.executable()) {
            BackingFile file =
                files.of(
                    pid,
                    line.start(),
                    line.end(),
                    line.deviceMajor(),
                    line.deviceMinor(),
                    line.inode(),
                    line.path());
            action.accept(new Mapping(line.start(), line.end(), line.fileOffset(), file));
          }
        });
  }

  /** Processes whose mappings we were not allowed to read. */
  public long unreadable() {
    return unreadable;
  }

  /** Reads where it runs: its pid inside, its cgroup. If it is gone, what its parent had stays. */
  public void place(ProcessImage image) {
    if (image.placed()) {
      return;
    }
    int pid = image.pid();
    Optional<ProcStatus> status = ProcStatus.read(reader, pid);
    if (status.isEmpty()) {
      image.place(image.innerPid(), image.cgroup(), image.kernelThread());
      return;
    }
    String cgroup =
        ProcCgroup.read(reader, pid).map(ProcCgroup::mostSpecific).orElse(image.cgroup());
    boolean kernel =
        ProcStat.read(reader, pid).map(ProcStat::isKernelThread).orElse(image.kernelThread());
    image.place(status.get().innerPid(), cgroup, kernel);
  }

  @Override
  public void close() {
    reader.close();
  }
}
