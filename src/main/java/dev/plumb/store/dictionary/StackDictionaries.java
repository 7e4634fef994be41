package dev.plumb.store.dictionary;

import dev.plumb.store.database.ReadTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The current dictionary of stacks; older ones are read when a query needs them. */
public final class StackDictionaries {
  private static final int[] LAST = {Integer.MAX_VALUE, Integer.MAX_VALUE};

  private volatile StackDictionary current = new StackDictionary(0, 0);

  /**
   * A dictionary, as a read transaction sees it.
   *
   * @param base the first numbers of its stacks and frames
   * @param next those of the dictionary after it
   */
  public record Found(int[] base, int[] next) {}

  /** Continues with the last stored dictionary. */
  public void restore(ReadTransaction reader) throws SQLException {
    current =
        StackDictionary.restore(
            StackReader.read(reader, StackReader.bases(reader).getLast(), LAST));
  }

  public StackDictionary current() {
    return current;
  }

  /** The first numbers of the next dictionary, above all that are in use. */
  public int[] nextBases() {
    StackDictionary old = current;
    return new int[] {old.stackBase() + old.stackCount(), old.frameBase() + old.frameCount()};
  }

  /** Begins a new dictionary with higher numbers; the old one must be stored. */
  public void next() {
    int[] bases = nextBases();
    current = new StackDictionary(bases[0], bases[1]);
  }

  /** The dictionaries with these bases. */
  public List<Found> find(ReadTransaction reader, Set<Integer> wanted) throws SQLException {
    List<Found> found = new ArrayList<>();
    List<int[]> bases = StackReader.bases(reader);
    for (int i = 0; i < bases.size(); i++) {
      if (wanted.contains(bases.get(i)[0])) {
        found.add(new Found(bases.get(i), i + 1 == bases.size() ? LAST : bases.get(i + 1)));
      }
    }
    return found;
  }

  /** Prepares a dictionary's stacks for a result. */
  public StackTranslator open(ReadTransaction reader, Found found, MergedStacks into)
      throws SQLException {
    StackDictionary newest = current;
    return newest.stackBase() == found.base()[0]
        ? newest.part()
        : StackTranslator.read(reader, found.base(), found.next(), into);
  }
}
