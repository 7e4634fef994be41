package dev.plumb.collect.naming;

import dev.plumb.collect.raw.RawPlaces;
import dev.plumb.collect.raw.RawProcesses;
import dev.plumb.collect.raw.RawRegions;
import dev.plumb.collect.raw.RawStacks;
import dev.plumb.linux.Threads;
import dev.plumb.process.BackingFile;
import dev.plumb.process.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Names places in files during the recording, on a thread of its own, so that less is left to do
 * after the stop. Only places in files can be named early; generated code may still change.
 */
public final class EarlyNames implements AutoCloseable {
  private static final int REST_SECONDS = 3;

  private final RawStacks stacks;
  private final RawProcesses processes;
  private final Naming naming;
  private final BlockingQueue<List<Runnable>> queue = new LinkedBlockingQueue<>();
  private final DebugFilePrefetch files;
  private final Thread thread;
  private volatile boolean stopped;
  private List<Runnable> work = new ArrayList<>();
  private int nextPlace;
  private int nextRegion;

  /** Until this is closed, nothing else may use {@code naming}. */
  public EarlyNames(RawStacks stacks, RawProcesses processes, Naming naming) {
    this.stacks = stacks;
    this.processes = processes;
    this.naming = naming;
    this.files = new DebugFilePrefetch(naming::hold);
    this.thread = Thread.ofPlatform().daemon().name("names").start(this::run);
  }

  /** Continues where another one, which is closed, stopped. */
  public EarlyNames(RawStacks stacks, RawProcesses processes, Naming naming, EarlyNames before) {
    this(stacks, processes, naming);
    nextPlace = before.nextPlace;
    nextRegion = before.nextRegion;
  }

  /** Takes what arrived since the last call; begins at once with what may be gone in a second. */
  public void hurry() {
    boolean isUrgent = addRegions();
    addPlaces();
    if (isUrgent) {
      begin();
    }
  }

  /**
   * Begins with what was taken. To be called about once per second, because waking a thread costs
   * time, too.
   */
  public void begin() {
    if (!work.isEmpty()) {
      queue.add(work);
      work = new ArrayList<>();
    }
  }

  /**
   * Adds regions without a file, whose processes must still be alive; returns whether there are
   * any.
   */
  private boolean addRegions() {
    int before = work.size();
    RawRegions regions = stacks.regions();
    for (; nextRegion < regions.size(); nextRegion++) {
      if (regions.mapping(nextRegion).file().kind() == BackingFile.Kind.ANONYMOUS) {
        processes
            .image(regions.process(nextRegion))
            .ifPresent(image -> work.add(() -> naming.notice(image)));
      }
    }
    return work.size() > before;
  }

  private void addPlaces() {
    RawPlaces places = stacks.places();
    for (; nextPlace < places.size(); nextPlace++) {
      int region = places.region(nextPlace);
      if (region >= 0) {
        Mapping mapping = stacks.regions().mapping(region);
        if (mapping.file().kind() == BackingFile.Kind.FILE) {
          files.see(mapping.file());
          int place = nextPlace;
          long offset = places.offset(place);
          boolean isReturn = places.isReturn(place);
          work.add(() -> naming.name(place, mapping, offset, isReturn));
        }
      }
    }
  }

  private void run() {
    try {
      while (!stopped) {
        for (Runnable one : next()) {
          if (stopped) {
            return;
          }
          one.run();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // then it ends
    }
  }

  /** Waits for more work; frees memory if none arrives for a while. */
  private List<Runnable> next() throws InterruptedException {
    List<Runnable> next = queue.poll(REST_SECONDS, TimeUnit.SECONDS);
    if (next != null) {
      return next;
    }
    naming.rest();
    return queue.take();
  }

  /** Stops after the current place; the rest is named when it is needed. */
  @Override
  public void close() {
    close(() -> {});
  }

  /** The same; {@code meanwhile} runs again and again, because one place may take long. */
  public void close(Runnable meanwhile) {
    stopped = true;
    files.close(meanwhile);
    queue.add(List.of());
    Threads.join(thread, meanwhile);
  }
}
