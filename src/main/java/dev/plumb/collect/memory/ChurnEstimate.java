package dev.plumb.collect.memory;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Estimates how much was allocated in total from what was allocated in short windows at random
 * times.
 *
 * <p>Every moment is equally likely to be in a window, so what the windows show, multiplied by the
 * ratio of the whole time to the time in windows, would be the total. But a thread that allocates
 * is slowed down by traps in a window, and makes less progress there than outside. Its progress is
 * measured by the CPU time that it uses, minus the time that traps take: what its windows show is
 * scaled up by the ratio of its progress outside of windows to that inside.
 *
 * <p>The error has three parts. Windows differ: estimated from the deviations of their rates from
 * the mean (a ratio estimate, its variance by linearisation). The cost of a trap is known only
 * roughly, which matters for threads that do little else than allocate. And the progress of threads
 * before their first window is unknown, which matters for short recordings.
 */
public final class ChurnEstimate {
  /** Relative uncertainty of the cost of a trap, without its handling by our programs. */
  private static final double TRAP_DOUBT = 0.2;

  /** Relative uncertainty of the progress of threads during times when it was not read. */
  private static final double UNREAD_DOUBT = 0.5;

  /** The least part of a thread's CPU time that is counted as its own, not as traps. */
  private static final double LEAST_OWN = 0.005;

  /** A thread that was seen in fewer windows is taken for one of many short-lived threads. */
  private static final int ENOUGH_WINDOWS = 3;

  /** Student's factors for a certainty of 95 %, by the number of windows. */
  private static final double[] STUDENT = {
    0, 0, 12.7, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2
  };

  private static final double STUDENT_OF_MORE = 2.1;

  /** The CPU time of a thread for which it is unknown. */
  public static final long UNKNOWN = -1;

  /**
   * The counters of a thread at a time; all of them only increase.
   *
   * @param trapNanos the time that our programs took in its traps
   * @param bytes the bytes that it allocated in windows
   */
  public record Reading(int tid, long cpuNanos, long traps, long trapNanos, long bytes) {}

  /** The progress of a thread. */
  private static final class Progress {
    Reading last;
    long lastTime;
    boolean inWindow;
    double ownIn;
    double nanosIn;
    double ownOut;
    double nanosOut;
    double doubtIn;
    double unread; // nanoseconds of its life before it was first read
    int timedWindows;
    long timedBytes;
    long bytes;

    void beginAnew() {
      ownIn = nanosIn = ownOut = nanosOut = doubtIn = unread = 0;
      timedWindows = 0;
      timedBytes = bytes = 0;
    }
  }

  private final double trapCost;
  private final Map<Integer, Progress> threads = new HashMap<>();
  private double[] windowBytes = new double[64];
  private double[] windowOwn = new double[64];
  private int windows;
  private long openNanos;
  private long latest;
  private long began;

  /**
   * @param trapCost nanoseconds of a trap without the time that our programs take
   */
  public ChurnEstimate(double trapCost) {
    this.trapCost = trapCost;
  }

  /** Starts a new estimate, for what is allocated from now on. */
  public synchronized void begin(long time) {
    began = time;
    windows = 0;
    openNanos = 0;
    threads.values().removeIf(thread -> thread.lastTime < latest); // they have ended
    for (Progress thread : threads.values()) {
      thread.beginAnew();
    }
  }

  /** A window opens, or the recording ends. */
  public synchronized void opens(long time, List<Reading> readings) {
    for (Reading reading : readings) {
      Progress thread = progress(reading);
      if (isTimed(thread, reading) && !thread.inWindow) {
        thread.ownOut += own(thread, reading);
        thread.nanosOut += time - thread.lastTime;
      }
      thread.last = reading;
      thread.lastTime = time;
      thread.inWindow = true;
    }
  }

  /**
   * A window that was open for some nanoseconds closes; {@code readings} has all threads of that
   * moment.
   */
  public synchronized void closes(long time, long nanos, List<Reading> readings) {
    double bytes = 0;
    double allOwn = 0;
    for (Reading reading : readings) {
      Progress thread = progress(reading);
      long since = reading.bytes() - (thread.last == null ? 0 : thread.last.bytes());
      thread.bytes += since;
      if (thread.last == null) {
        // It was started at any time since the last window.
        thread.unread += windows == 0 ? time - began : (time - latest) / 2.0;
      }
      if (isTimed(thread, reading) && thread.inWindow) {
        double own = own(thread, reading);
        thread.ownIn += own;
        thread.nanosIn += time - thread.lastTime;
        thread.timedWindows++;
        thread.timedBytes += since;
        thread.doubtIn += (reading.traps() - thread.last.traps()) * trapCost * TRAP_DOUBT;
        allOwn += own;
        bytes += since;
      }
      thread.last = reading;
      thread.lastTime = time;
      thread.inWindow = false;
    }
    if (windows == windowBytes.length) {
      windowBytes = Arrays.copyOf(windowBytes, windows * 2);
      windowOwn = Arrays.copyOf(windowOwn, windows * 2);
    }
    windowBytes[windows] = bytes;
    windowOwn[windows] = allOwn;
    windows++;
    openNanos += nanos;
    latest = time;
  }

  private static boolean isTimed(Progress thread, Reading now) {
    return thread.last != null && thread.last.cpuNanos() != UNKNOWN && now.cpuNanos() != UNKNOWN;
  }

  /** The tid may have been reused by another thread, which starts from zero. */
  private Progress progress(Reading reading) {
    Progress known = threads.computeIfAbsent(reading.tid(), x -> new Progress());
    if (known.last != null
        && (reading.cpuNanos() < known.last.cpuNanos() || reading.traps() < known.last.traps())) {
      known.last = null;
    }
    return known;
  }

  /** The CPU time that a thread has used for itself since it was last read. */
  private double own(Progress thread, Reading now) {
    double used = now.cpuNanos() - thread.last.cpuNanos();
    double trapped =
        now.trapNanos() - thread.last.trapNanos() + (now.traps() - thread.last.traps()) * trapCost;
    return Math.max(used - trapped, used * LEAST_OWN);
  }

  /**
   * The factor for what a thread's windows show. For a thread that was seen in some windows, it is
   * known how much it allocates per progress, and its total progress; one that was seen briefly
   * stands for others that were not seen.
   */
  public synchronized double factor(int tid, long now) {
    Progress thread = threads.get(tid);
    if (thread != null && thread.timedWindows >= ENOUGH_WINDOWS && thread.bytes > 0) {
      double read = thread.nanosIn + thread.nanosOut;
      double unread = thread.unread;
      if (thread.lastTime < latest) {
        unread += (double) (now - began) / windows / 2; // it ended at any time
      }
      double far = (thread.ownIn + thread.ownOut) * (read + unread) / read;
      return thread.timedBytes / thread.ownIn * far / thread.bytes;
    }
    double further = thread == null ? 0 : further(thread);
    return openNanos == 0
        ? 0
        : (double) (now - began) / openNanos * (further > 0 ? further : furtherOfAll());
  }

  /** The ratio of a thread's progress outside of windows to that inside; 0 if unknown. */
  private static double further(Progress thread) {
    return thread.nanosOut > 0 && thread.ownIn > 0
        ? thread.ownOut / thread.nanosOut * thread.nanosIn / thread.ownIn
        : 0;
  }

  private double furtherOfAll() {
    Progress all = new Progress();
    for (Progress thread : threads.values()) {
      all.ownIn += thread.ownIn;
      all.nanosIn += thread.nanosIn;
      all.ownOut += thread.ownOut;
      all.nanosOut += thread.nanosOut;
    }
    double further = further(all);
    return further > 0 ? further : 1;
  }

  /** How many windows there were. */
  public synchronized int windows() {
    return windows;
  }

  /** The relative error of the sum of all bytes at a confidence of 95 %. */
  public synchronized double error() {
    double bytes = 0;
    double own = 0;
    int timed = 0;
    for (int i = 0; i < windows; i++) {
      bytes += windowBytes[i];
      own += windowOwn[i];
      timed += windowOwn[i] > 0 ? 1 : 0;
    }
    if (timed < 2 || bytes == 0) {
      return Double.POSITIVE_INFINITY;
    }
    double squares = 0;
    for (int i = 0; i < windows; i++) {
      double deviation = windowBytes[i] - bytes * windowOwn[i] / own;
      squares += deviation * deviation;
    }
    double student = timed < STUDENT.length ? STUDENT[timed] : STUDENT_OF_MORE;
    double ofWindows = student * Math.sqrt(squares * timed / (timed - 1)) / bytes;
    double ofTraps = trapError();
    double ofUnread = UNREAD_DOUBT * unreadShare();
    return Math.sqrt(ofWindows * ofWindows + ofTraps * ofTraps + ofUnread * ofUnread);
  }

  /** The part of the threads' time in which their progress was not read. */
  private double unreadShare() {
    double unread = 0;
    double all = 0;
    for (Progress thread : threads.values()) {
      unread += thread.unread;
      all += thread.unread + thread.nanosIn + thread.nanosOut;
    }
    return all > 0 ? unread / all : 1;
  }

  private double trapError() {
    double error = 0;
    double bytes = 0;
    for (Progress thread : threads.values()) {
      if (thread.ownIn > 0) {
        error += thread.bytes * thread.doubtIn / thread.ownIn;
        bytes += thread.bytes;
      }
    }
    return error / bytes;
  }

  /** For people: {@code 29 windows, 1.0 % of the time, ± 6 % (95 %)}. */
  public synchronized String text(long now) {
    if (windows == 0) {
      return "no window was open; record for longer";
    }
    double error = error();
    String bound =
        error < 1
            ? String.format(Locale.ROOT, "± %.0f %% (95 %%)", Math.max(error * 100, 1))
            : windows < 3 ? "error unknown" : "error over 100 %";
    return String.format(
        Locale.ROOT,
        "%d window%s, %.1f %% of the time, %s",
        windows,
        windows == 1 ? "" : "s",
        100.0 * openNanos / Math.max(now - began, 1),
        bound);
  }
}
