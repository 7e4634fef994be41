package dev.plumb.store;

import java.lang.ref.SoftReference;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The dictionary that is written to, and older ones as they are asked for. */
final class Stacks {
  private static final int[] LAST = {Integer.MAX_VALUE, Integer.MAX_VALUE};

  private final Map<Integer, SoftReference<StackTree>> older = new HashMap<>();
  private volatile StackDictionary current;

  private Stacks(StackDictionary current) {
    this.current = current;
  }

  static Stacks read(Reader reader) throws SQLException {
    List<int[]> bases = StackReader.bases(reader);
    return new Stacks(StackReader.read(reader, bases.getLast(), LAST));
  }

  StackDictionary current() {
    return current;
  }

  /** Where the next dictionary begins: above all that is numbered. */
  int[] nextBases() {
    StackDictionary old = current;
    return new int[] {old.stackBase() + old.stackCount(), old.frameBase() + old.frameCount()};
  }

  /** A new dictionary with numbers above all others; the old one must be stored. */
  synchronized void next() {
    StackDictionary old = current;
    int[] bases = nextBases();
    older.put(old.stackBase(), new SoftReference<>(old.tree()));
    current = new StackDictionary(bases[0], bases[1]);
  }

  /** The dictionary that holds a stack, as the reader's moment has it. */
  StackTree find(Reader reader, int stack) throws SQLException {
    StackTree tree = current.tree();
    if (tree.holds(stack)) {
      return tree;
    }
    List<int[]> bases = StackReader.bases(reader);
    for (int i = bases.size() - 1; i >= 0; i--) {
      if (stack >= bases.get(i)[0]) {
        return older(reader, bases.get(i), i + 1 < bases.size() ? bases.get(i + 1) : LAST);
      }
    }
    throw new StoreException("the store has no stack " + stack + "; it is damaged");
  }

  private StackTree older(Reader reader, int[] base, int[] next) throws SQLException {
    synchronized (this) {
      older.values().removeIf(tree -> tree.get() == null);
      SoftReference<StackTree> known = older.get(base[0]);
      StackTree tree = known == null ? null : known.get();
      if (tree != null) {
        return tree;
      }
    }
    StackTree read = StackReader.read(reader, base, next).tree();
    synchronized (this) {
      older.put(base[0], new SoftReference<>(read));
    }
    return read;
  }
}
