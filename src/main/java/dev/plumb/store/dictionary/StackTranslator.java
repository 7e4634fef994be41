package dev.plumb.store.dictionary;

import dev.plumb.profile.Frame;
import dev.plumb.store.HeapAllowance;
import dev.plumb.store.StoreException;
import dev.plumb.store.database.ReadTransaction;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * Translates the stacks of one dictionary to those of a result. Dictionaries are opened one after
 * the other: together they can need more memory than there is.
 */
public final class StackTranslator implements AutoCloseable {
  /** Three numbers per stack. */
  private static final int STACK_BYTES = 12;

  private final int base;
  private final int end;
  private final int[] callers;
  private final int[] leaves;
  private final Frame[] frames;
  private final long taken;

  /** The numbers of stacks in the result, + 1. */
  private final int[] known;

  private final int[] knownFrames;
  private int[] path = new int[256];

  private StackTranslator(
      int base, int[] callers, int[] leaves, int count, Frame[] frames, int[] knownFrames) {
    this.base = base;
    this.end = base + count;
    this.callers = callers;
    this.leaves = leaves;
    this.frames = frames;
    this.knownFrames = knownFrames;
    this.taken = (long) STACK_BYTES * count;
    this.known = new int[count];
  }

  /** Translates the current dictionary, which is in memory. */
  public static StackTranslator of(StackTree tree, int frameCount) {
    HeapAllowance.take((long) STACK_BYTES * tree.stacks());
    return new StackTranslator(
        tree.stackBase(),
        tree.callers(),
        tree.leaves(),
        tree.stacks(),
        tree.frames(),
        new int[frameCount]);
  }

  /**
   * Reads a dictionary from the database. Its frames go to the result at once, where many are the
   * same.
   */
  static StackTranslator read(ReadTransaction reader, int[] base, int[] next, MergedStacks into)
      throws SQLException {
    String which = " FROM all_stacks WHERE id >= " + base[0] + " AND id < " + next[0];
    int count =
        (int) Math.max(0, reader.number("SELECT CAST(max(id) + 1 AS BIGINT)" + which) - base[0]);
    HeapAllowance.take((long) STACK_BYTES * count);
    int[] callers = new int[count];
    int[] leaves = new int[count];
    int[] frameCount = {0};
    int[] told = {0, 0};
    reader.query(
        "SELECT id, caller, frame" + which,
        chunk -> {
          told[0] += (int) chunk.rowCount();
          for (long row = 0; row < chunk.rowCount(); row++) {
            int at = chunk.vector(0).getInt(row) - base[0];
            int leaf = chunk.vector(2).getInt(row);
            callers[at] = chunk.vector(1).getInt(row) - base[0];
            leaves[at] = leaf < 0 ? leaf : leaf - base[1];
            frameCount[0] = Math.max(frameCount[0], leaves[at] + 1);
          }
        });
    int[] frames = new int[frameCount[0]];
    StackReader.frames(
        reader,
        base[1],
        base[1] + frames.length,
        (id, frame) -> {
          frames[id - base[1]] = into.frame(frame) + 1;
          told[1]++;
        });
    if (told[0] < count || told[1] < frames.length) {
      // If DuckDB has no memory for the next rows, its driver reports the end of the result.
      throw new SQLException("Out of Memory Error: rows are missing");
    }
    return new StackTranslator(base[0], callers, leaves, count, new Frame[0], frames);
  }

  /** The first number of its stacks. */
  public int base() {
    return base;
  }

  /** The first number above all of its stacks. */
  public int end() {
    return end;
  }

  /** A stack's number in the result. */
  public int stack(int number, MergedStacks into) {
    if (number < base || number >= end) {
      throw damaged(number);
    }
    int at = number - base;
    int depth = 0;
    while (known[at] == 0 && leaves[at] != StackTree.NO_FRAME) {
      if (depth == path.length) {
        path = Arrays.copyOf(path, depth * 2);
      }
      path[depth++] = at;
      at = callers[at];
    }
    int copy = known[at] == 0 ? into.empty(callers[at]) : known[at] - 1;
    known[at] = copy + 1;
    while (depth > 0) {
      at = path[--depth];
      copy = into.called(copy, frame(leaves[at], into));
      known[at] = copy + 1;
    }
    return copy;
  }

  private int frame(int leaf, MergedStacks into) {
    if (knownFrames[leaf] == 0) {
      knownFrames[leaf] = into.frame(frames[leaf]) + 1;
    }
    return knownFrames[leaf] - 1;
  }

  /** Applies a renumbering of the result's stacks. */
  public void renumber(int[] numbers) {
    for (int i = 0; i < known.length; i++) {
      known[i] = known[i] == 0 ? 0 : numbers[known[i] - 1] + 1;
    }
  }

  public static StoreException damaged(int number) {
    return new StoreException("the store has no stack " + number + "; it is damaged");
  }

  @Override
  public void close() {
    HeapAllowance.giveBack(taken);
  }
}
