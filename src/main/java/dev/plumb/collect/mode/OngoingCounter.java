package dev.plumb.collect.mode;

/**
 * A mode with something to count that no event tells: calls and waits that have not ended, or a
 * state such as memory in use.
 */
public interface OngoingCounter {
  /** Called once, when all records are taken: counts until {@code now} what has not ended. */
  default void countUnended(long now) {}

  /** How many of these there were. */
  default long unended() {
    return 0;
  }

  /** Called before a part of a recording is cut off: counts what goes on as far as it has come. */
  default void countOngoing(long now) {}

  /** Called before a recording is made: adds what is a state. */
  default void countPresent(long now) {}
}
