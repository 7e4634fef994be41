package dev.plumb.collect.raw;

import java.util.Arrays;

/**
 * The way from a stack towards its root, as far as callers that are known already. Used to convert
 * stacks, each after its caller: first towards the root, then back.
 */
public final class CallerPath {
  private int[] stacks = new int[256];
  private int depth;

  /**
   * Walks to the first stack that is known or empty, and returns it; what lies before it is the
   * path.
   *
   * @param known by stack; 0 if unknown
   */
  public int walk(RawStackTree tree, int stack, int[] known) {
    depth = 0;
    int at = stack;
    while (known[at] == 0 && !tree.isEmpty(at)) {
      if (depth == stacks.length) {
        stacks = Arrays.copyOf(stacks, depth * 2);
      }
      stacks[depth++] = at;
      at = tree.caller(at);
    }
    return at;
  }

  /** Whether the way back has more stacks. */
  public boolean hasNext() {
    return depth > 0;
  }

  /** The next stack on the way back; the caller of each comes before it. */
  public int next() {
    return stacks[--depth];
  }
}
