package dev.plumb.collect.raw;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.plumb.profile.StackEnd;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Stacks with an address that lay in no mapping when they came. The kernel sends a stack only once,
 * so their addresses are kept, to look again when the stack is met again: what its process has
 * mapped may be known by then.
 */
final class UnresolvedStacks {
  /**
   * A stack as it came.
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
    /** A copy that outlives the record it lay in. */
    Raw copy() {
      return new Raw(
          owner, time, copy(kernelAddresses, kernel), kernel, copy(userAddresses, user), user, end);
    }

    private static MemorySegment copy(MemorySegment addresses, int count) {
      return MemorySegment.ofArray(addresses.asSlice(0, 8L * count).toArray(JAVA_LONG));
    }
  }

  /** What is kept of a stack that was looked at some times. */
  private static final class Kept {
    final Raw raw;
    long next;
    int looks;

    Kept(Raw raw, long next) {
      this.raw = raw;
      this.next = next;
    }
  }

  /** With up to a thousand frames each this is a few megabytes at the very most. */
  private static final int MOST_STACKS = 1024;

  /** Memory that no file and no list of mappings explains stays unknown: the looks get rarer. */
  private static final int MOST_LOOKS = 8;

  private static final long FIRST_PAUSE_NANOS = 250_000_000;

  private final Map<Integer, Kept> kept = new HashMap<>();

  /** Keeps a stack, if there is room. */
  void add(int number, Raw raw) {
    if (kept.size() < MOST_STACKS) {
      kept.put(number, new Kept(raw.copy(), System.nanoTime() + FIRST_PAUSE_NANOS));
    }
  }

  /** A stack that was met again, if it is kept here and it is time to look again. */
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

  /** All stacks have other numbers now. */
  void clear() {
    kept.clear();
  }
}
