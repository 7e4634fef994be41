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
 * Names places in files while recording goes on, on a thread of its own: what is done by then need
 * not be done after the stop. Only files stay what they are; the rest has to wait.
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

  /** Until it is closed, nobody else may use {@code naming}. */
  public EarlyNames(RawStacks stacks, RawProcesses processes, Naming naming) {
    this.stacks = stacks;
    this.processes = processes;
    this.naming = naming;
    this.files = new DebugFilePrefetch(naming::hold);
    this.thread = Thread.ofPlatform().daemon().name("names").start(this::run);
  }

  /** Goes on where another one, which is closed, left off. */
  public EarlyNames(RawStacks stacks, RawProcesses processes, Naming naming, EarlyNames before) {
    this(stacks, processes, naming);
    nextPlace = before.nextPlace;
    nextRegion = before.nextRegion;
  }

  /** Takes what came since the last time; what would be too late in a second is begun at once. */
  public void hurry() {
    boolean isUrgent = addRegions();
    addPlaces();
    if (isUrgent) {
      begin();
    }
  }

  /** Begins what was taken. To be called about once a second: to wake a thread costs, too. */
  public void begin() {
    if (!work.isEmpty()) {
      queue.add(work);
      work = new ArrayList<>();
    }
  }

  /** Those without a file, whose processes have to be there still; whether there are any. */
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
      Thread.currentThread().interrupt(); // and that was the end
    }
  }

  /** Waits for more; if it takes long, memory is given back. */
  private List<Runnable> next() throws InterruptedException {
    List<Runnable> next = queue.poll(REST_SECONDS, TimeUnit.SECONDS);
    if (next != null) {
      return next;
    }
    naming.rest();
    return queue.take();
  }

  /** Stops after the place at hand; what is left is named when it is asked for. */
  @Override
  public void close() {
    close(() -> {});
  }

  /** The same; {@code meanwhile} is run again and again, because one place may take long. */
  public void close(Runnable meanwhile) {
    stopped = true;
    files.close(meanwhile);
    queue.add(List.of());
    Threads.join(thread, meanwhile);
  }
}
