package dev.plumb.store;

import java.lang.ref.SoftReference;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The dictionary that is written to, and older ones as they are asked for. */
final class Stacks {
  private static final int[] LAST = {Integer.MAX_VALUE, Integer.MAX_VALUE};

  private final Map<Integer, SoftReference<StackTree>> older = new HashMap<>();
  private volatile StackDictionary current = new StackDictionary(0, 0);

  /** Goes on with the last dictionary that is stored. */
  void restore(Reader reader) throws SQLException {
    current =
        StackDictionary.restore(
            StackReader.read(reader, StackReader.bases(reader).getLast(), LAST));
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

  /** The dictionaries of these bases, as the reader's moment has them. */
  List<StackTree> find(Reader reader, Set<Integer> wanted) throws SQLException {
    List<StackTree> trees = new ArrayList<>();
    StackTree newest = current.tree();
    List<int[]> bases = StackReader.bases(reader);
    for (int i = 0; i < bases.size(); i++) {
      int[] base = bases.get(i);
      if (wanted.contains(base[0])) {
        boolean last = i + 1 == bases.size();
        trees.add(
            base[0] == newest.stackBase()
                ? newest
                : older(reader, base, last ? LAST : bases.get(i + 1)));
      }
    }
    return trees;
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
    StackTree read = StackReader.read(reader, base, next);
    // Of the last one, the reader's moment may not have all.
    if (next != LAST) {
      synchronized (this) {
        older.put(base[0], new SoftReference<>(read));
      }
    }
    return read;
  }
}
