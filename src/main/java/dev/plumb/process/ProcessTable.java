package dev.plumb.process;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The processes over time, from events. A reused pid is another process. A process that has ended
 * is kept until {@link #forgetEnded}, for records that are still on their way. Times are
 * CLOCK_MONOTONIC nanoseconds. Not thread-safe.
 */
public final class ProcessTable {
  private static final class Life {
    final List<ProcessImage> images = new ArrayList<>(1);
    final long start;
    long end = Long.MAX_VALUE;

    Life(ProcessImage first, long start) {
      this.start = start;
      images.add(first);
    }
  }

  private record Ended(int pid, Life life) {}

  private final Map<Integer, Deque<Life>> lives = new HashMap<>();

  /** Up to when events may be missing. */
  private long lostUntil;

  /** In the order in which they ended. */
  private final Deque<Ended> ended = new ArrayDeque<>();

  /**
   * A process that exists now and is older than its first event; to be completed from /proc.
   *
   * @param asOf when /proc was read: it includes what happened before, although the events may
   *     still be on their way
   */
  ProcessImage found(int pid, long startTime, String comm, long asOf) {
    Life known = current(pid);
    ProcessImage image = known != null ? known.images.getLast() : incomplete(pid, startTime);
    if (!image.knowsThread(pid)) {
      image.name(pid, comm);
    }
    if (image.incomplete()) {
      image.readAsOf(asOf);
    }
    return image;
  }

  /**
   * A process whose events may have been lost turns out to be another one, or to run another
   * program; to be completed from /proc.
   */
  ProcessImage replaced(int pid, String comm, long asOf) {
    Life known = current(pid);
    long since = Math.min(asOf, lostUntil); // nobody knows when it happened
    if (known != null) {
      end(pid, known, since);
    }
    ProcessImage image = incomplete(pid, since);
    image.name(pid, comm);
    image.readAsOf(asOf);
    return image;
  }

  /** The kernel has lost events up to a time. */
  void lost(long time) {
    lostUntil = Math.max(lostUntil, time);
  }

  /** Whether lost events may have concerned a process. */
  boolean isDoubtful(ProcessImage image) {
    return !image.isOver() && image.checkedAsOf() < lostUntil;
  }

  private ProcessImage incomplete(int pid, long startTime) {
    ProcessImage image = new ProcessImage(pid, startTime, startTime);
    image.incomplete(true);
    add(pid, new Life(image, startTime));
    return image;
  }

  /** A new process, or a new thread if both pids are the same. */
  public void forked(int pid, int tid, int parentPid, int parentTid, long time) {
    Life parent = current(parentPid);
    if (pid == parentPid) {
      if (parent != null) {
        ProcessImage image = parent.images.getLast();
        image.name(tid, image.threadName(parentTid));
      }
      return;
    }
    if (isKnownAlready(pid, time)) {
      return;
    }
    Life old = current(pid);
    if (old != null) {
      end(pid, old, time);
    }
    if (parent == null) {
      incomplete(pid, time);
    } else {
      add(pid, new Life(parent.images.getLast().forkedAs(pid, parentTid, time), time));
    }
  }

  public void execed(int pid, String comm, long time) {
    Life life = current(pid);
    if (isKnownAlready(pid, time)) {
      return;
    }
    if (life == null) {
      ProcessImage image = new ProcessImage(pid, time, time);
      image.name(pid, comm);
      add(pid, new Life(image, time));
    } else {
      ProcessImage before = life.images.getLast();
      before.end();
      life.images.add(before.execed(comm, time));
    }
  }

  public void renamed(int pid, int tid, String comm) {
    Life life = current(pid);
    if (life != null) {
      life.images.getLast().name(tid, comm);
    }
  }

  public void mapped(int pid, Mapping mapping, long time) {
    Life life = current(pid);
    if (isKnownAlready(pid, time)) {
      return;
    }
    ProcessImage image = life == null ? incomplete(pid, time) : life.images.getLast();
    image.map(mapping, time);
  }

  /** The last thread of a process ended. */
  public void exited(int pid, long time) {
    Life life = current(pid);
    if (life != null && !isKnownAlready(pid, time)) {
      end(pid, life, time);
    }
  }

  /**
   * Whether /proc was read for a process after an event. Then /proc knows more than the event,
   * which may even concern an earlier process with the same pid.
   */
  private boolean isKnownAlready(int pid, long time) {
    Life life = current(pid);
    return life != null && time < life.images.getLast().readAsOf();
  }

  private void add(int pid, Life life) {
    lives.computeIfAbsent(pid, p -> new ArrayDeque<>(1)).addLast(life);
  }

  private void end(int pid, Life life, long time) {
    life.end = time;
    life.images.getLast().end();
    ended.add(new Ended(pid, life));
  }

  private Life current(int pid) {
    Deque<Life> all = lives.get(pid);
    return all == null || all.isEmpty() || all.getLast().end != Long.MAX_VALUE
        ? null
        : all.getLast();
  }

  /** The image of the process at a time. */
  public Optional<ProcessImage> imageAt(int pid, long time) {
    Deque<Life> all = lives.get(pid);
    if (all == null) {
      return Optional.empty();
    }
    Life life = null;
    for (Life l : all) {
      if (life == null || l.start <= time) {
        life = l;
      }
    }
    ProcessImage image = null;
    for (ProcessImage i : life.images) {
      if (image == null || i.from() <= time) {
        image = i;
      }
    }
    return Optional.of(image);
  }

  /**
   * Drops the processes that ended before a time: no record asks for them any more. Images that are
   * still referenced stay usable.
   */
  public void forgetEnded(long before) {
    while (!ended.isEmpty() && ended.getFirst().life().end < before) {
      Ended first = ended.removeFirst();
      Deque<Life> all = lives.get(first.pid());
      all.remove(first.life());
      if (all.isEmpty()) {
        lives.remove(first.pid());
      }
      first.life().images.forEach(ProcessImage::forgetMappings);
    }
  }

  /** Adds the files that processes have mapped, those that ended a moment ago included. */
  public void addFiles(Set<BackingFile> files) {
    for (Deque<Life> all : lives.values()) {
      for (Life life : all) {
        life.images.forEach(image -> image.addFiles(files));
      }
    }
  }

  /** The processes known now. */
  public int size() {
    return lives.size();
  }
}
