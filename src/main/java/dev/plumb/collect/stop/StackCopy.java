package dev.plumb.collect.stop;

import dev.plumb.unwind.StackMemory;

/**
 * The copied part of a thread's stack: from the stack pointer upwards, and, if the thread is in a
 * signal handler on an alternate stack, also from where the signal interrupted it.
 */
final class StackCopy implements StackMemory {
  static final StackCopy NONE = new StackCopy(0, new long[0]);

  private final long start;
  private final long[] words;
  private final long interruptedStart;
  private final long[] interruptedWords;
  private boolean readBeyond;

  StackCopy(long start, long[] words) {
    this(start, words, 0, new long[0]);
  }

  StackCopy(long start, long[] words, long interruptedStart, long[] interruptedWords) {
    this.start = start;
    this.words = words;
    this.interruptedStart = interruptedStart;
    this.interruptedWords = interruptedWords;
  }

  @Override
  public boolean read(long processAddress, long[] word) {
    if (readFrom(words, processAddress - start, word)
        || readFrom(interruptedWords, processAddress - interruptedStart, word)) {
      return true;
    }
    readBeyond = true;
    return false;
  }

  /** Whether a word was requested that was not copied. */
  boolean readBeyond() {
    return readBeyond;
  }

  /** Replaces a copied word if it has the expected value. */
  void replace(long processAddress, long expected, long value) {
    replaceIn(words, processAddress - start, expected, value);
    replaceIn(interruptedWords, processAddress - interruptedStart, expected, value);
  }

  private static void replaceIn(long[] words, long offset, long expected, long value) {
    boolean inside = offset >= 0 && offset <= 8L * words.length - 8 && (offset & 7) == 0;
    if (inside && words[(int) (offset >> 3)] == expected) {
      words[(int) (offset >> 3)] = value;
    }
  }

  private static boolean readFrom(long[] words, long offset, long[] word) {
    if (offset < 0 || offset > 8L * words.length - 8) {
      return false;
    }
    int index = (int) (offset >> 3);
    int shift = (int) (offset & 7) * 8;
    word[0] =
        shift == 0
            ? words[index]
            : words[index] >>> shift | words[index + 1] << (Long.SIZE - shift);
    return true;
  }

  /**
   * The stack pointer that the signal interrupted, if this is the alternate stack of a signal
   * handler; otherwise 0.
   *
   * <p>The kernel puts a ucontext on the handler's stack (include/uapi/asm-generic/ucontext.h):
   *
   * <pre>
   * 0 uc_flags  8 uc_link (0)  16 ss_sp  24 ss_flags  32 ss_size  40 r8 … 40 + 15 × 8 rsp
   * </pre>
   *
   * where ss_sp and ss_size describe the stack that the stack pointer is in now. A false match
   * costs only a needless copy.
   */
  static long interruptedSp(long[] words, long sp) {
    for (int i = 2; i + 18 < words.length; i++) {
      long low = words[i];
      if (words[i - 1] == 0
          && Long.compareUnsigned(low, sp) <= 0
          && low != 0
          && Long.compareUnsigned(sp - low, words[i + 2]) < 0
          && words[i + 2] >>> 32 == 0) {
        return words[i + 18];
      }
    }
    return 0;
  }
}
