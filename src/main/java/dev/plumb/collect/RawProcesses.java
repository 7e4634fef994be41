package dev.plumb.collect;

import dev.plumb.process.ProcessImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The processes that have samples, numbered. A process is what the kernel side tells apart: pid,
 * start time and exec. Which image that was is found a moment later, when the events up to its
 * first stack have been read.
 */
final class RawProcesses {
  /** Finds the image of a process at a time. */
  @FunctionalInterface
  interface Finder {
    Optional<ProcessImage> find(int pid, long time);
  }

  private final LongIndex keys = new LongIndex();
  private final List<ProcessImage> images = new ArrayList<>();
  private final List<Integer> pids = new ArrayList<>();
  private final List<Long> firstSeen = new ArrayList<>();
  private int settled;

  int index(long key, int pid, long time) {
    int index = keys.add(key);
    if (index == images.size()) {
      images.add(null);
      pids.add(pid);
      firstSeen.add(time);
    }
    return index;
  }

  /** Looks up those that came since the last call and before a time. */
  void settle(Finder finder, long until) {
    for (; settled < images.size() && firstSeen.get(settled) <= until; settled++) {
      images.set(settled, finder.find(pids.get(settled), firstSeen.get(settled)).orElse(null));
    }
  }

  /** What ran; empty if the process was gone before anything was known of it. */
  Optional<ProcessImage> image(int process) {
    return Optional.ofNullable(images.get(process));
  }

  /** Gives the memory back; nothing may be asked any more. */
  void clear() {
    images.clear();
    pids.clear();
    firstSeen.clear();
  }

  int pid(int process) {
    return pids.get(process);
  }

  int size() {
    return images.size();
  }
}
