package dev.plumb.collect.raw;

import dev.plumb.process.ProcessImage;
import dev.plumb.table.LongIndex;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The processes that have samples, numbered. A process is what the kernel side tells apart: pid,
 * start time and exec.
 */
public final class RawProcesses {
  /** Finds the image of a process at a time; what happened before that time is known by then. */
  @FunctionalInterface
  public interface Finder {
    public Optional<ProcessImage> find(int pid, long time);

    /** Asks again what a process has mapped, unless that was done a moment ago. */
    default void refresh(ProcessImage image, long time) {}
  }

  private final Finder finder;
  private final Consumer<ProcessImage> placer;
  private LongIndex keys = new LongIndex();
  private List<Optional<ProcessImage>> images = new ArrayList<>();
  private List<Integer> pids = new ArrayList<>();

  /**
   * @param placer reads where a process runs, which takes a while and only samples are told by
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

  /** What a process ran at a time, whether it has samples or not. */
  public Optional<ProcessImage> find(int pid, long time) {
    return finder.find(pid, time);
  }

  /** What ran; empty if the process was gone before anything was known of it. */
  public Optional<ProcessImage> image(int process) {
    return images.get(process);
  }

  /** Asks again what a process has mapped, because something is not known. */
  void refresh(ProcessImage image, long time) {
    finder.refresh(image, time);
  }

  public int pid(int process) {
    return pids.get(process);
  }

  int size() {
    return images.size();
  }

  /** Begins to forget all but those that are to be kept. */
  Forgetting forgetting() {
    return new Forgetting();
  }

  /** Copies those that are still wanted into tables that take the place of the old ones. */
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
