package dev.plumb.collect.mode;

/** A mode that keeps tables besides its rows, by number of a stack, a thread or a detail. */
public interface DetailKeeper {
  /** Called when no row is left and stacks and threads get other numbers: clears these tables. */
  void forget();

  /** Whether these tables are so large that it is time to forget them. */
  default boolean isLarge() {
    return false;
  }
}
