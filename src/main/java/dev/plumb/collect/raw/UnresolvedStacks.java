package dev.plumb.collect.raw;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.profile.StackEnd;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Stacks with an address that was in no mapping when they arrived. The kernel sends a stack only
 * once, so their addresses are kept and resolved again when the stack is seen again: by then, the
 * mappings of its process may be known.
 */
final class UnresolvedStacks {
  /**
   * A stack as it arrived.
   *
   * @param owner the number of its process
   * @param end how unwinding ended
   */
  record Raw(
      int owner,
      long time,
      MemorySegment kernelAddresses,
      int kernel,
      MemorySegment userAddresses,
      int user,
      StackEnd end) {
    /** A copy that outlives its record. */
    Raw copy() {
      return new Raw(
          owner, time, copy(kernelAddresses, kernel), kernel, copy(userAddresses, user), user, end);
    }

    private static MemorySegment copy(MemorySegment addresses, int count) {
      return MemorySegment.ofArray(addresses.asSlice(0, 8L * count).toArray(JAVA_LONG));
    }
  }

  /** A stack, how often it was resolved, and when to try again. */
  private static final class Kept {
    final Raw raw;
    long next;
    int looks;

    Kept(Raw raw, long next) {
      this.raw = raw;
      this.next = next;
    }
  }

  /** With up to a thousand frames each, this is a few megabytes at most. */
  private static final int MOST_STACKS = 1024;

  /** An address that no list of mappings explains stays unknown: tries get rarer. */
  private static final int MOST_LOOKS = 8;

  private static final long FIRST_PAUSE_NANOS = 250_000_000;

  private final Map<Integer, Kept> kept = new HashMap<>();

  /** Keeps a stack, if there is room. */
  void add(int number, Raw raw) {
    if (kept.size() < MOST_STACKS) {
      kept.put(number, new Kept(raw.copy(), System.nanoTime() + FIRST_PAUSE_NANOS));
    }
  }

  /** A stack that was seen again, if it is kept here and it is time to try again. */
  Optional<Raw> again(int number) {
    Kept found = kept.isEmpty() ? null : kept.get(number);
    if (found == null || System.nanoTime() < found.next) {
      return Optional.empty();
    }
    found.looks++;
    found.next = System.nanoTime() + (FIRST_PAUSE_NANOS << found.looks);
    if (found.looks == MOST_LOOKS) {
      kept.remove(number);
    }
    return Optional.of(found.raw);
  }

  /** Forgets all: stacks have other numbers now. */
  void clear() {
    kept.clear();
  }
}
