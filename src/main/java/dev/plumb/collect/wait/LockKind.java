package dev.plumb.collect.wait;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The kind of a lock, by the function that waits for it, or by the kernel's flags. */
final class LockKind {
  /** Parts of function names, most specific first. */
  private static final Map<String, String> BY_FUNCTION = new LinkedHashMap<>();

  static {
    BY_FUNCTION.put("pthread_cond_", "condition variable");
    BY_FUNCTION.put("cnd_", "condition variable");
    BY_FUNCTION.put("pthread_rwlock_rdlock", "rwlock, to read");
    BY_FUNCTION.put("pthread_rwlock_wrlock", "rwlock, to write");
    BY_FUNCTION.put("pthread_rwlock_", "rwlock");
    BY_FUNCTION.put("pthread_barrier_", "barrier");
    BY_FUNCTION.put("sem_", "semaphore");
    BY_FUNCTION.put("pthread_join", "join");
    BY_FUNCTION.put("pthread_timedjoin", "join");
    BY_FUNCTION.put("pthread_mutex_", "mutex");
    BY_FUNCTION.put("mtx_", "mutex");
    BY_FUNCTION.put("lll_lock", "mutex");
    BY_FUNCTION.put("Parker", "parked thread");
    BY_FUNCTION.put("PlatformEvent", "monitor");
    BY_FUNCTION.put("runtime.futex", "Go runtime");
    BY_FUNCTION.put("std::sys::sync::", "Rust lock");
  }

  private static final int SPIN = 1;
  private static final int READ = 1 << 1;
  private static final int WRITE = 1 << 2;
  private static final int RT = 1 << 3;
  private static final int PERCPU = 1 << 4;
  private static final int MUTEX = 1 << 5;

  /** Kinds that no thread holds while others wait. */
  private static final Set<String> NEVER_HELD =
      Set.of("condition variable", "barrier", "semaphore", "join", "parked thread");

  private LockKind() {}

  /** Whether a thread holds such a lock while others wait for it. */
  static boolean isHeld(String kind) {
    return !NEVER_HELD.contains(kind);
  }

  /**
   * @param stack of the waiting thread, leaf first, in one line
   */
  static String ofUser(String stack) {
    // A wait for a condition ends with one for its mutex: what is nearest to the leaf counts.
    String found = "futex";
    int nearest = Integer.MAX_VALUE;
    for (Map.Entry<String, String> entry : BY_FUNCTION.entrySet()) {
      int at = stack.indexOf(entry.getKey());
      if (at >= 0 && at < nearest) {
        nearest = at;
        found = entry.getValue();
      }
    }
    return found;
  }

  /**
   * @param flags of {@code contention_begin}
   */
  static String ofKernel(long flags) {
    String access = (flags & WRITE) != 0 ? ", to write" : (flags & READ) != 0 ? ", to read" : "";
    String kind;
    if ((flags & MUTEX) != 0) {
      kind = "mutex";
    } else if ((flags & PERCPU) != 0) {
      kind = "percpu rwsem";
    } else if ((flags & RT) != 0) {
      kind = "rt mutex";
    } else if ((flags & SPIN) != 0) {
      kind = access.isEmpty() ? "spinlock" : "rwlock";
    } else {
      kind = access.isEmpty() ? "lock" : "rwsem";
    }
    return "kernel " + kind + access;
  }
}
