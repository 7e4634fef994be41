package dev.plumb.store.segment;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;

/** Deletes files once no query reads them any more. */
public final class DeferredDeletions {
  /** Files that no table mentions any more. */
  private record Due(long ticket, List<Path> files, long bytes) {}

  private final TreeSet<Long> readers = new TreeSet<>();
  private final Deque<Due> due = new ArrayDeque<>();
  private long nextTicket;

  /** A query must call this before it reads the tables. */
  public synchronized long enter() {
    readers.add(nextTicket);
    return nextTicket++;
  }

  public synchronized void leave(long ticket) {
    readers.remove(ticket);
  }

  /** Adds files to delete; to be called after the tables have changed. */
  public synchronized void add(List<Path> files, long bytes) {
    due.add(new Due(nextTicket++, files, bytes));
  }

  /** The size of the files that are still to be deleted. */
  public synchronized long dueBytes() {
    long sum = 0;
    for (Due one : due) {
      sum += one.bytes();
    }
    return sum;
  }

  /** Deletes the files that can be deleted now. */
  public synchronized void run() throws IOException {
    while (!due.isEmpty() && (readers.isEmpty() || due.getFirst().ticket() < readers.getFirst())) {
      for (Path file : due.removeFirst().files()) {
        Files.deleteIfExists(file);
      }
    }
  }
}
