package dev.plumb.collect;

import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Names places in files while recording goes on, on a thread of its own: what is done by then need
 * not be done after the stop. Only files stay what they are; the rest has to wait.
 */
final class EarlyNames implements AutoCloseable {
  private record Work(int place, Mapping mapping, long offset, boolean isReturn) {}

  private final RawStacks stacks;
  private final Naming naming;
  private final BlockingQueue<List<Work>> queue = new LinkedBlockingQueue<>();
  private final Thread thread;
  private volatile boolean stopped;
  private int next;

  /** Until it is closed, nobody else may use {@code naming}. */
  EarlyNames(RawStacks stacks, Naming naming) {
    this.stacks = stacks;
    this.naming = naming;
    this.thread = Thread.ofPlatform().daemon().name("names").start(this::run);
  }

  /** Hands over the places that came since the last time. */
  void hurry() {
    List<Work> work = new ArrayList<>();
    RawPlaces places = stacks.places();
    for (; next < places.size(); next++) {
      int region = places.region(next);
      if (region >= 0) {
        Mapping mapping = stacks.regions().mapping(region);
        if (mapping.file().kind() == BackingFile.Kind.FILE) {
          work.add(new Work(next, mapping, places.offset(next), places.isReturn(next)));
        }
      }
    }
    if (!work.isEmpty()) {
      queue.add(work);
    }
  }

  private void run() {
    try {
      while (!stopped) {
        for (Work work : queue.take()) {
          if (stopped) {
            return;
          }
          naming.name(work.place(), work.mapping(), work.offset(), work.isReturn());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // and that was the end
    }
  }

  /** Stops after the place at hand; what is left is named when it is asked for. */
  @Override
  public void close() {
    stopped = true;
    queue.add(List.of());
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
