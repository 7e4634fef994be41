package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;

/**
 * The stacks of one dictionary, by number; a stack is its leaf's frame and the stack of the caller.
 * Empty stacks come first, one for each {@link dev.plumb.profile.StackEnd} that was known when the
 * dictionary was begun.
 *
 * @param stackBase the number of the first stack in the whole store
 * @param frameBase the number of the first frame in the whole store
 * @param callers per stack, relative to {@code stackBase}
 * @param leaves per stack, relative to {@code frameBase}
 */
public record StackTree(
    int stackBase,
    int stacks,
    int frameBase,
    int[] callers,
    int[] leaves,
    byte[] flags,
    Frame[] frames) {
  /** Flag: the stack is incomplete. */
  static final int CUT = 1;

  /** Flag: the leaf has no name. */
  static final int UNNAMED = 2;

  /** The leaf of an empty stack. */
  static final int NO_FRAME = -1;

  /** The number of empty stacks: one per end that the dictionary's writer knew. */
  int ends() {
    int ends = 0;
    while (ends < stacks && leaves[ends] == NO_FRAME && callers[ends] == ends) {
      ends++;
    }
    return ends;
  }
}
