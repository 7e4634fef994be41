package dev.plumb.process;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One program that one process runs, from exec or fork until the next exec or the end. Mappings are
 * kept with the time at which they appeared, because a later one may cover an earlier one.
 */
public final class ProcessImage {
  private record Timed(long time, Mapping mapping) {}

  private static final Optional<Mapping> NOTHING = Optional.empty();

  /** To sort what is mapped pays when it stays for this many looks. */
  private static final int LOOKS_BEFORE_SORTING = 32;

  private final int pid;
  private final long processStart;
  private final long from;
  private List<Timed> mappings;
  private Optional<String> comm = Optional.empty();

  /** Names of all threads but the first; most processes have no other threads. */
  private Map<Integer, String> threadNames = Map.of();

  private int innerPid;
  private String cgroup = "";
  private boolean kernelThread;
  private boolean incomplete;
  private boolean placed;
  private boolean over;
  private long version;
  private long refreshed;
  private long readAsOf;
  private int holders;
  private boolean forgotten;

  /** The mapping that was found last; valid for times after the latest event. */
  private Optional<Mapping> latest = NOTHING;

  private long latestEvent;

  /** How often was looked since the latest event. */
  private int looks;

  /** All that is mapped from the latest event on, by address; empty until that pays. */
  private List<Optional<Mapping>> sorted = List.of();

  ProcessImage(int pid, long processStart, long from) {
    this(pid, processStart, from, new ArrayList<>());
  }

  private ProcessImage(int pid, long processStart, long from, List<Timed> mappings) {
    this.pid = pid;
    this.innerPid = pid;
    this.processStart = processStart;
    this.from = from;
    this.mappings = mappings;
  }

  /** What a child starts with: all mappings and names of its parent. */
  ProcessImage forkedAs(int childPid, int parentTid, long time) {
    ProcessImage child = new ProcessImage(childPid, time, time, new ArrayList<>(mappings));
    child.inherit(this);
    child.incomplete = incomplete;
    child.name(childPid, threadName(parentTid));
    return child;
  }

  /** What remains after exec: the process without its mappings. */
  ProcessImage execed(String comm, long time) {
    ProcessImage next = new ProcessImage(pid, processStart, time, new ArrayList<>());
    next.inherit(this);
    next.name(pid, comm);
    return next;
  }

  private void inherit(ProcessImage other) {
    innerPid = other.pid == pid ? other.innerPid : pid;
    cgroup = other.cgroup;
    kernelThread = other.kernelThread;
  }

  /** Events reported it, but not from its start: the rest must be read from /proc. */
  boolean incomplete() {
    return incomplete;
  }

  void incomplete(boolean yes) {
    incomplete = yes;
  }

  void map(Mapping mapping, long time) {
    mappings.add(new Timed(time, mapping));
    changed();
    latestEvent = time;
  }

  /** Adds a mapping that is older than those from events. */
  void mapEarlier(Mapping mapping, long time) {
    mappings.addFirst(new Timed(time, mapping));
    changed();
  }

  private void changed() {
    version++;
    latest = NOTHING;
    looks = 0;
    sorted = List.of();
  }

  /** When its mappings were read from /proc; 0 if events reported all of them. */
  long readAsOf() {
    return readAsOf;
  }

  void readAsOf(long time) {
    readAsOf = time;
  }

  /** Up to when events or /proc have reported it without a known gap. */
  long checkedAsOf() {
    return Math.max(from, Math.max(readAsOf, refreshed));
  }

  /** The process ended, or runs another program now. */
  void end() {
    over = true;
  }

  public boolean isOver() {
    return over;
  }

  /** Changes whenever something is mapped. */
  public long version() {
    return version;
  }

  /** When its mappings were last read again from /proc. */
  long refreshed() {
    return refreshed;
  }

  void refreshed(long time) {
    refreshed = time;
  }

  /** What is mapped now, by address; of a mapping that is partly covered, the visible parts. */
  public List<Mapping> code() {
    TreeMap<Long, Mapping> shown = new TreeMap<>();
    for (Timed timed : mappings) {
      Mapping added = timed.mapping();
      Map.Entry<Long, Mapping> before = shown.lowerEntry(added.end());
      while (before != null && before.getValue().overlaps(added)) {
        Mapping under = before.getValue();
        shown.remove(under.start());
        under.before(added.start()).ifPresent(part -> shown.put(part.start(), part));
        under.from(added.end()).ifPresent(part -> shown.put(part.start(), part));
        before = shown.lowerEntry(added.end());
      }
      shown.put(added.start(), added);
    }
    return List.copyOf(shown.values());
  }

  /** Somebody will still ask what it had mapped. */
  public void hold() {
    holders++;
  }

  /** Ends a {@link #hold}. */
  public void release() {
    if (--holders == 0 && forgotten) {
      forgetMappings();
    }
  }

  /** Its mappings are not needed any more, unless the image is still referenced. */
  void forgetMappings() {
    forgotten = true;
    if (holders > 0) {
      return;
    }
    mappings = new ArrayList<>(0);
    latest = NOTHING;
    sorted = List.of();
  }

  void name(int tid, String name) {
    if (tid == pid) {
      comm = Optional.of(name);
      return;
    }
    if (threadNames.isEmpty()) {
      threadNames = new HashMap<>();
    }
    threadNames.put(tid, name);
  }

  void place(int inner, String cgroupPath, boolean kernel) {
    innerPid = inner;
    cgroup = cgroupPath;
    kernelThread = kernel;
    placed = true;
  }

  /** Whether its cgroup and inner pid were read, not only inherited. */
  boolean placed() {
    return placed;
  }

  public int pid() {
    return pid;
  }

  /** The pid in the process's own pid namespace. */
  public int innerPid() {
    return innerPid;
  }

  public String cgroup() {
    return cgroup;
  }

  public boolean kernelThread() {
    return kernelThread;
  }

  /** When the process began, CLOCK_MONOTONIC nanoseconds. */
  public long processStart() {
    return processStart;
  }

  /** When the process began to run this program, CLOCK_MONOTONIC nanoseconds. */
  public long from() {
    return from;
  }

  /** The name of the process: that of its first thread. */
  public String comm() {
    return comm.orElse("");
  }

  /** The latest name of a thread; that of the process if it has none of its own. */
  public String threadName(int tid) {
    return threadNames.getOrDefault(tid, comm());
  }

  public boolean knowsThread(int tid) {
    return tid == pid ? comm.isPresent() : threadNames.containsKey(tid);
  }

  /**
   * What was mapped at an address at a time: the latest mapping before that time, or else the
   * earliest after it, because the events of a mapping and of its first use may be a moment apart.
   */
  public Optional<Mapping> mappingAt(long processAddress, long time) {
    if (time >= latestEvent && latest.isPresent() && latest.get().contains(processAddress)) {
      return latest;
    }
    if (time >= latestEvent && ++looks > LOOKS_BEFORE_SORTING) {
      latest = sortedAt(processAddress);
      return latest;
    }
    Mapping later = null;
    for (int i = mappings.size() - 1; i >= 0; i--) {
      Timed timed = mappings.get(i);
      if (timed.mapping().contains(processAddress)) {
        if (timed.time() <= time) {
          return remembered(i);
        }
        later = timed.mapping();
      }
    }
    return Optional.ofNullable(later);
  }

  private Optional<Mapping> sortedAt(long processAddress) {
    if (sorted.isEmpty()) {
      sorted = code().stream().map(Optional::of).toList();
    }
    int low = 0;
    int high = sorted.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted.get(middle).get().end() <= processAddress) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    boolean found = low < sorted.size() && sorted.get(low).get().contains(processAddress);
    return found ? sorted.get(low) : NOTHING;
  }

  /** Adds the files of all mappings there ever were. */
  void addFiles(Set<BackingFile> files) {
    mappings.forEach(timed -> files.add(timed.mapping().file()));
  }

  /** The next address often lies in the same mapping; that is it if none lies over this one. */
  private Optional<Mapping> remembered(int index) {
    Optional<Mapping> found = Optional.of(mappings.get(index).mapping());
    for (int i = index + 1; i < mappings.size(); i++) {
      if (mappings.get(i).mapping().overlaps(found.get())) {
        return found;
      }
    }
    latest = found;
    return found;
  }

  @Override
  public String toString() {
    return comm() + " (" + pid + ", " + mappings.size() + " mappings)";
  }
}
