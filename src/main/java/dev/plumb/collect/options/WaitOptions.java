package dev.plumb.collect.options;

/**
 * Which waits count.
 *
 * @param states letters of the thread states wanted: S sleeping, D in disk sleep, T stopped, I idle
 *     kernel thread, R preempted; empty for all
 * @param wakerStackNanos the waker's stack is taken for waits from this long on
 * @param tellWakerStacks whether that stack becomes a label; else it only tells whether an
 *     interrupt ended the wait
 */
public record WaitOptions(
    long minNanos, long maxNanos, String states, long wakerStackNanos, boolean tellWakerStacks) {
  /** Shorter waits end so often that their wakers' stacks would cost more than they tell. */
  public static final long DEFAULT_WAKER_STACK_NANOS = 50_000;

  public static final WaitOptions ALL =
      new WaitOptions(0, Long.MAX_VALUE, "", DEFAULT_WAKER_STACK_NANOS);

  /** For recordings that go on for days: there are more stacks of wakers than can be kept. */
  public static final WaitOptions ALL_BRIEFLY =
      new WaitOptions(0, Long.MAX_VALUE, "", 1_000_000, false);

  private static final int INTERRUPTIBLE = 1;
  private static final int UNINTERRUPTIBLE = 2;
  private static final int STOPPED = 4;
  private static final int TRACED = 8;
  private static final int NOLOAD = 0x400;
  private static final int PREEMPTED = 1 << 31;

  /** With the stacks of wakers. */
  public WaitOptions(long minNanos, long maxNanos, String states, long wakerStackNanos) {
    this(minNanos, maxNanos, states, wakerStackNanos, true);
  }

  public WaitOptions {
    mask(states); // an unknown letter fails here, not when recording has begun
  }

  /** What the kernel side lets through: TASK_… bits, and bit 31 for preempted. */
  public int mask() {
    return mask(states);
  }

  /**
   * Whether a state counts. Finer than {@link #mask}: an idle kernel thread has the bit of disk
   * sleep too.
   */
  public boolean wants(int state) {
    return states.isEmpty() || states.contains(letter(state));
  }

  private static int mask(String states) {
    int mask = states.isEmpty() ? -1 : 0;
    for (char state : states.toCharArray()) {
      mask |=
          switch (state) {
            case 'S' -> INTERRUPTIBLE;
            case 'D' -> UNINTERRUPTIBLE;
            case 'T' -> STOPPED | TRACED;
            case 'I' -> NOLOAD;
            case 'R' -> PREEMPTED;
            default ->
                throw new IllegalArgumentException(
                    "unknown state '" + state + "'; use the letters S, D, T, I, R");
          };
    }
    return mask;
  }

  /** The letter of a state as the kernel gave it. */
  public static String letter(int state) {
    if (state == PREEMPTED) {
      return "R";
    }
    if ((state & NOLOAD) != 0) {
      return "I";
    }
    if ((state & INTERRUPTIBLE) != 0) {
      return "S";
    }
    if ((state & UNINTERRUPTIBLE) != 0) {
      return "D";
    }
    return (state & (STOPPED | TRACED)) != 0 ? "T" : "?";
  }

  public static boolean preempted(int state) {
    return state == PREEMPTED;
  }
}
