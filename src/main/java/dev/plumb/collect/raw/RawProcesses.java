package dev.plumb.collect.raw;

import dev.plumb.process.ProcessImage;
import dev.plumb.table.LongIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The processes that have samples, numbered. The kernel side distinguishes processes by pid, start
 * time and exec count.
 */
public final class RawProcesses {
  /** Finds the image of a process at a time; all earlier events must be known. */
  @FunctionalInterface
  public interface Finder {
    public Optional<ProcessImage> find(int pid, long time);

    /** Reads the mappings of a process again, unless that was done a moment ago. */
    default void refresh(ProcessImage image, long time) {}
  }

  private final Finder finder;
  private final Consumer<ProcessImage> placer;
  private LongIndex keys = new LongIndex();
  private List<Optional<ProcessImage>> images = new ArrayList<>();
  private List<Integer> pids = new ArrayList<>();

  /**
   * @param placer reads the cgroup and the inner pid of a process: slow, and needed only for
   *     processes that have samples
   */
  public RawProcesses(Finder finder, Consumer<ProcessImage> placer) {
    this.finder = finder;
    this.placer = placer;
  }

  public int index(long key, int pid, long time) {
    int index = keys.add(key);
    if (index == images.size()) {
      Optional<ProcessImage> image = finder.find(pid, time);
      image.ifPresent(placer);
      images.add(image);
      pids.add(pid);
    }
    return index;
  }

  /** The image of a process at a time, whether it has samples or not. */
  public Optional<ProcessImage> find(int pid, long time) {
    return finder.find(pid, time);
  }

  /** The image; empty if the process ended before anything was known about it. */
  public Optional<ProcessImage> image(int process) {
    return images.get(process);
  }

  /** Reads the mappings of a process again, because an address is in none of them. */
  void refresh(ProcessImage image, long time) {
    finder.refresh(image, time);
  }

  public int pid(int process) {
    return pids.get(process);
  }

  int size() {
    return images.size();
  }

  /** Begins to forget all but the processes that will be kept. */
  Forgetting forgetting() {
    return new Forgetting();
  }

  /** Copies the processes that are still needed to tables that replace the old ones. */
  final class Forgetting {
    private final LongIndex newKeys = new LongIndex();
    private final List<Optional<ProcessImage>> newImages = new ArrayList<>();
    private final List<Integer> newPids = new ArrayList<>();

    /** The number it will have. */
    int keep(int process) {
      int number = newKeys.add(keys.key(process));
      if (number == newImages.size()) {
        newImages.add(images.get(process));
        newPids.add(pids.get(process));
      }
      return number;
    }

    void end() {
      keys = newKeys;
      images = newImages;
      pids = newPids;
    }
  }
}
