package dev.plumb.collect.memory;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.Collection;
import dev.plumb.bpf.Link;
import dev.plumb.bpf.Links;
import dev.plumb.bpf.error.BpfException;
import dev.plumb.collect.kernel.AttachedLinks;
import dev.plumb.linux.Clock;
import dev.plumb.linux.SyscallException;
import dev.plumb.linux.Threads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/**
 * Attaches the probes of {@code light.bpf.c} for a short window at a random time of each period, on
 * a thread of its own. Disabling an event would not be enough: the kernel removes the breakpoint
 * from a program's code only when the probe is removed.
 */
final class LightWindows implements AutoCloseable {
  private static final long WINDOW_NANOS = 10_000_000;

  /** If we are kept from closing it. */
  private static final long LONGEST_WINDOW_NANOS = 3 * WINDOW_NANOS;

  private static final long PERIOD_NANOS = 1_000_000_000;

  /** Probes are on for at most about one part in so many of the time, however long it takes. */
  private static final int SHARE = 30;

  /** Whose sizes are where; those that are called most stand last, and are trapped shortest. */
  private static final List<Map.Entry<String, List<AllocatorFunction>>> PROGRAMS =
      List.of(
          Map.entry("on_third", List.of(AllocatorFunction.POSIX_MEMALIGN)),
          Map.entry("on_later_product", List.of(AllocatorFunction.REALLOCARRAY)),
          Map.entry(
              "on_second",
              List.of(
                  AllocatorFunction.MMAP, AllocatorFunction.MEMALIGN, AllocatorFunction.REALLOC)),
          Map.entry("on_product", List.of(AllocatorFunction.CALLOC)),
          Map.entry("on_first", List.of(AllocatorFunction.MALLOC, AllocatorFunction.NEW)));

  /** A file to probe, in one process or ({@code pid} 0) in all. */
  private record Place(Allocator allocator, int pid) {}

  private final Collection programs;
  private final ChurnEstimate estimate;
  private final List<Place> places = new CopyOnWriteArrayList<>();
  private final Thread thread = Thread.ofPlatform().daemon().name("windows").unstarted(this::run);
  private final ThreadClocks clocks = new ThreadClocks();
  private volatile boolean ended;

  LightWindows(Collection programs, ChurnEstimate estimate) {
    this.programs = programs;
    this.estimate = estimate;
  }

  void add(Allocator allocator, int pid) {
    places.add(new Place(allocator, pid));
  }

  void begin() {
    thread.start();
  }

  /** No window is open any more when this returns. */
  @Override
  public void close() {
    ended = true;
    LockSupport.unpark(thread);
    Threads.join(thread);
    clocks.close();
  }

  private void run() {
    long period = now();
    while (!ended) {
      long offset = ThreadLocalRandom.current().nextLong(PERIOD_NANOS - WINDOW_NANOS);
      sleepUntil(period + offset);
      long length = PERIOD_NANOS;
      if (!ended) {
        length = Math.max(length, open() * SHARE);
      }
      period = Math.max(period + length, now() - PERIOD_NANOS);
      sleepUntil(period);
    }
    estimate.opens(now(), readings());
  }

  /** One window; how long probes were on. */
  private long open() {
    long since = now();
    List<Link> links = attachAll();
    try {
      List<ChurnEstimate.Reading> before = readings();
      long opened = now();
      estimate.opens(opened, before);
      programs.variable("window_end").set(opened + LONGEST_WINDOW_NANOS);
      sleepUntil(opened + WINDOW_NANOS);
      // Both readings, what threads allocated and how far they came, must be of the same time.
      programs.variable("window_end").set(0);
      long closed = now();
      List<ChurnEstimate.Reading> after = readings();
      estimate.closes(closed, Math.min(closed - opened, LONGEST_WINDOW_NANOS), after);
      return now() - since;
    } finally {
      new AttachedLinks(links.reversed()).close();
    }
  }

  private void sleepUntil(long time) {
    for (long rest = time - now(); rest > 0 && !ended; rest = time - now()) {
      LockSupport.parkNanos(rest);
    }
  }

  private List<Link> attachAll() {
    List<Link> links = new ArrayList<>();
    for (Map.Entry<String, List<AllocatorFunction>> entry : PROGRAMS) {
      for (Place place : places) {
        long[] offsets = offsets(place.allocator(), entry.getValue());
        try {
          if (offsets.length > 0) {
            links.add(attach(entry.getKey(), place, offsets));
          }
        } catch (BpfException | SyscallException e) {
          // Its process has ended. A file that others still have is found again by their names.
          places.remove(place);
        }
      }
    }
    return links;
  }

  private static long[] offsets(Allocator allocator, List<AllocatorFunction> functions) {
    return functions.stream()
        .flatMapToLong(f -> Arrays.stream(allocator.places().getOrDefault(f, new long[0])))
        .distinct()
        .toArray();
  }

  private Link attach(String program, Place place, long[] offsets) {
    return Links.uprobeMulti(
        programs.program(program),
        place.allocator().path().toString(),
        offsets,
        new long[0],
        new long[0],
        false,
        place.pid() == 0 ? -1 : place.pid());
  }

  /** struct trapped: 0 traps, 8 nanos, 16 bytes. */
  private List<ChurnEstimate.Reading> readings() {
    List<ChurnEstimate.Reading> readings = new ArrayList<>();
    programs
        .map("trapped_threads")
        .forEach(
            (tid, trapped) ->
                readings.add(
                    new ChurnEstimate.Reading(
                        tid.get(JAVA_INT, 0),
                        clocks.nanos(tid.get(JAVA_INT, 0)),
                        trapped.get(JAVA_LONG, 0),
                        trapped.get(JAVA_LONG, 8),
                        trapped.get(JAVA_LONG, 16))));
    clocks.forgetUnread();
    return readings;
  }

  private static long now() {
    return Clock.monotonic();
  }
}
