package dev.plumb.collect.memory;

/** How long a block of memory has been in use, in steps that people think in. */
final class BlockAges {
  private static final long SECOND = 1_000_000_000;
  private static final long[] FROM = {
    0, SECOND, 10 * SECOND, 60 * SECOND, 600 * SECOND, 3600 * SECOND
  };
  private static final String[] TEXTS = {
    "under 1 s", "1 s to 10 s", "10 s to 1 min", "1 min to 10 min", "10 min to 1 h", "over 1 h"
  };

  private BlockAges() {}

  /** The step that an age falls into. */
  static int of(long nanos) {
    int step = 0;
    while (step + 1 < FROM.length && nanos >= FROM[step + 1]) {
      step++;
    }
    return step;
  }

  static String text(int step) {
    return TEXTS[step];
  }
}
