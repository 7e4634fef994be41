package dev.plumb.collect.wait;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.bpf.BpfMap;
import dev.plumb.linux.proc.ProcReader;
import dev.plumb.linux.proc.ProcStatus;
import dev.plumb.process.ProcessFinder;
import dev.plumb.process.ProcessImage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The threads that mutexes name as their owners ({@code holders.h}). The value in the place of the
 * owner is believed only if it is a thread of the process.
 */
public final class LockHolders {
  /**
   * A mutex and the thread that held it.
   *
   * @param owner the tid as the program knows it
   */
  record Held(long address, int owner) {}

  /** A thread as everybody sees it. */
  record Holder(int tid, String name) {
    static final Holder UNKNOWN = new Holder(0, "unknown");

    String text() {
      return tid == 0 ? name : name + " (" + tid + ")";
    }
  }

  private record Thread(int process, int owner) {}

  private static final int HELD_SIZE = 16;

  private final ProcessFinder finder;
  private final Map<Thread, Holder> known = new HashMap<>();

  public LockHolders(ProcessFinder finder) {
    this.finder = finder;
  }

  /**
   * The mutex that a number of the kernel side stands for. struct held_mutex: 0 address, 8 owner.
   */
  static Optional<Held> held(BpfMap mutexes, long number) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment held = arena.allocate(HELD_SIZE, 8);
      return mutexes.lookup(arena.allocateFrom(JAVA_LONG, number), held)
          ? Optional.of(new Held(held.get(JAVA_LONG, 0), held.get(JAVA_INT, 8)))
          : Optional.empty();
    }
  }

  /** The thread, if it belongs to the process. To be called soon, before the thread ends. */
  Holder find(int process, Optional<ProcessImage> image, int owner) {
    return image
        .map(i -> known.computeIfAbsent(new Thread(process, owner), t -> find(i, owner)))
        .orElse(Holder.UNKNOWN);
  }

  /** Processes have other numbers from now on. */
  void forget() {
    known.clear();
  }

  private Holder find(ProcessImage image, int owner) {
    int tid = image.innerPid() == image.pid() ? owner : outerTid(image.pid(), owner);
    finder.nameThread(image, tid);
    return image.knowsThread(tid) ? new Holder(tid, image.threadName(tid)) : Holder.UNKNOWN;
  }

  /** The number outside its pid namespace; 0 if there is no such thread. */
  private static int outerTid(int pid, int inner) {
    String[] tids = Path.of("/proc/" + pid + "/task").toFile().list();
    if (tids == null) {
      return 0;
    }
    try (ProcReader reader = new ProcReader()) {
      for (String tid : tids) {
        int outer = Integer.parseInt(tid);
        boolean found =
            ProcStatus.read(reader, outer)
                .map(status -> status.namespacePids())
                .filter(all -> !all.isEmpty() && all.getLast() == inner)
                .isPresent();
        if (found) {
          return outer;
        }
      }
    }
    return 0;
  }
}
