package dev.plumb.store;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.TreeSet;

/** Deletes files only when nobody reads them any more. */
final class Deletions {
  /** A tier of a segment that is in no table any more. */
  private record Due(long ticket, Tier tier, int segment, long bytes) {}

  private final SegmentFolder folder;
  private final TreeSet<Long> readers = new TreeSet<>();
  private final Deque<Due> due = new ArrayDeque<>();
  private long nextTicket;

  Deletions(SegmentFolder folder) {
    this.folder = folder;
  }

  /** To be called before a reader looks at the tables. */
  synchronized long enter() {
    readers.add(nextTicket);
    return nextTicket++;
  }

  synchronized void leave(long ticket) {
    readers.remove(ticket);
  }

  /** To be called after the tables have changed. */
  synchronized void add(Tier tier, int segment, long bytes) {
    due.add(new Due(nextTicket++, tier, segment, bytes));
  }

  /** What files take that are still to be deleted. */
  synchronized long dueBytes() {
    long sum = 0;
    for (Due one : due) {
      sum += one.bytes();
    }
    return sum;
  }

  /** Deletes what can be deleted. */
  synchronized void run() throws IOException {
    while (!due.isEmpty() && (readers.isEmpty() || due.getFirst().ticket() < readers.getFirst())) {
      Due first = due.removeFirst();
      folder.delete(first.tier(), first.segment());
    }
  }
}
