package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;

/**
 * Stacks of one dictionary, by number: each is its leaf's frame and the stack of the caller. The
 * first ones are the empty stacks, one for each {@link dev.plumb.profile.StackEnd} that was known
 * when the dictionary was begun.
 *
 * @param stackBase the number of the first stack in the whole store
 * @param frameBase the number of the first frame in the whole store
 * @param callers of each stack, counted from the base
 * @param leaves of each stack, counted from the frames' base
 */
public record StackTree(
    int stackBase,
    int stacks,
    int frameBase,
    int[] callers,
    int[] leaves,
    byte[] flags,
    Frame[] frames) {
  /** The stack is not whole. */
  static final int CUT = 1;

  /** The leaf has no name. */
  static final int UNNAMED = 2;

  /** Instead of a leaf, of an empty stack. */
  static final int NO_FRAME = -1;

  /** How many empty stacks there are: as many as whoever began it knew ends. */
  int ends() {
    int ends = 0;
    while (ends < stacks && leaves[ends] == NO_FRAME && callers[ends] == ends) {
      ends++;
    }
    return ends;
  }

  public boolean holds(int stack) {
    return stack >= stackBase && stack < stackBase + stacks;
  }
}
