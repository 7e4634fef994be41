package dev.plumb.store;

import java.lang.ref.SoftReference;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The dictionary that is written to, and older ones as they are asked for. */
final class Stacks {
  private final Map<Integer, SoftReference<StackTree>> older = new HashMap<>();
  private List<int[]> bases;
  private volatile StackDictionary current;

  private Stacks(List<int[]> bases, StackDictionary current) {
    this.bases = bases;
    this.current = current;
  }

  static Stacks read(Reader reader) throws SQLException {
    List<int[]> bases = StackReader.bases(reader);
    return new Stacks(
        bases,
        StackReader.read(
            reader, bases.getLast(), new int[] {Integer.MAX_VALUE, Integer.MAX_VALUE}));
  }

  StackDictionary current() {
    return current;
  }

  /** A new dictionary with numbers above all others; the old one must be stored. */
  synchronized StackDictionary next() {
    StackDictionary old = current;
    int[] base = {old.stackBase() + old.stackCount(), old.frameBase() + old.frameCount()};
    List<int[]> more = new ArrayList<>(bases);
    more.add(base);
    bases = more;
    older.put(old.stackBase(), new SoftReference<>(old.tree()));
    current = new StackDictionary(base[0], base[1]);
    return current;
  }

  /** What lies below is referred to by nothing any more. */
  synchronized void dropBelow(int stackBase) {
    List<int[]> kept = new ArrayList<>(bases);
    kept.removeIf(base -> base[0] < stackBase);
    bases = kept;
    older.keySet().removeIf(base -> base < stackBase);
  }

  StackTree find(Reader reader, int stack) throws SQLException {
    StackTree tree = current.tree();
    if (tree.holds(stack)) {
      return tree;
    }
    List<int[]> all;
    synchronized (this) {
      all = bases;
    }
    for (int i = all.size() - 2; i >= 0; i--) {
      if (stack >= all.get(i)[0]) {
        return older(reader, all.get(i), all.get(i + 1));
      }
    }
    throw new StoreException("the store has no stack " + stack + "; it is damaged");
  }

  private StackTree older(Reader reader, int[] base, int[] next) throws SQLException {
    synchronized (this) {
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
