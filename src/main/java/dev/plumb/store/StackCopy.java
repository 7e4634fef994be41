package dev.plumb.store;

import dev.plumb.profile.Frame;
import dev.plumb.profile.StackEnd;
import dev.plumb.profile.StackTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Copies the stacks that an answer needs into a table of its own. Within one dictionary all differ,
 * so that they need not be looked up.
 */
final class StackCopy {
  private static final StackEnd[] ENDS = StackEnd.values();

  /** A dictionary and what its stacks and frames are in the copy, + 1. */
  private record Part(StackTree tree, int[] stacks, int[] frames) {}

  private final StackTable.Builder table = new StackTable.Builder();
  private final List<Part> parts = new ArrayList<>();
  private Part part;
  private int[] path = new int[256];

  /** Of these dictionaries. */
  StackCopy(List<StackTree> trees) {
    for (StackTree tree : trees) {
      parts.add(new Part(tree, new int[tree.stacks()], new int[tree.frames().length]));
    }
  }

  /** The copy's number for a stack of the store. */
  int stack(int number) {
    if (part == null || !part.tree().holds(number)) {
      part = partOf(number);
    }
    StackTree tree = part.tree();
    int[] known = part.stacks();
    int at = number - tree.stackBase();
    int depth = 0;
    while (known[at] == 0 && at >= ENDS.length) {
      if (depth == path.length) {
        path = Arrays.copyOf(path, depth * 2);
      }
      path[depth++] = at;
      at = tree.callers()[at];
    }
    int copy = known[at] == 0 ? table.empty(ENDS[at]) : known[at] - 1;
    known[at] = copy + 1;
    while (depth > 0) {
      at = path[--depth];
      int leaf = frame(tree.leaves()[at]);
      copy = parts.size() == 1 ? table.newStack(copy, leaf) : table.called(copy, leaf);
      known[at] = copy + 1;
    }
    return copy;
  }

  private int frame(int leaf) {
    int[] known = part.frames();
    if (known[leaf] == 0) {
      Frame frame = part.tree().frames()[leaf];
      known[leaf] = (parts.size() == 1 ? table.newFrame(frame) : table.frame(frame)) + 1;
    }
    return known[leaf] - 1;
  }

  private Part partOf(int number) {
    for (Part known : parts) {
      if (known.tree().holds(number)) {
        return known;
      }
    }
    throw new StoreException("the store has no stack " + number + "; it is damaged");
  }

  StackTable build() {
    return table.build();
  }
}
