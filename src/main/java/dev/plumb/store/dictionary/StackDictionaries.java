package dev.plumb.store.dictionary;

import dev.plumb.store.database.ReadTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The dictionary that is written to; older ones are read as they are asked for. */
public final class StackDictionaries {
  private static final int[] LAST = {Integer.MAX_VALUE, Integer.MAX_VALUE};

  private volatile StackDictionary current = new StackDictionary(0, 0);

  /**
   * A dictionary of the reader's moment.
   *
   * @param base the first numbers of its stacks and frames
   * @param next those of the dictionary after it
   */
  public record Found(int[] base, int[] next) {}

  /** Goes on with the last dictionary that is stored. */
  public void restore(ReadTransaction reader) throws SQLException {
    current =
        StackDictionary.restore(
            StackReader.read(reader, StackReader.bases(reader).getLast(), LAST));
  }

  public StackDictionary current() {
    return current;
  }

  /** Where the next dictionary begins: above all that is numbered. */
  public int[] nextBases() {
    StackDictionary old = current;
    return new int[] {old.stackBase() + old.stackCount(), old.frameBase() + old.frameCount()};
  }

  /** A new dictionary with numbers above all others; the old one must be stored. */
  public void next() {
    int[] bases = nextBases();
    current = new StackDictionary(bases[0], bases[1]);
  }

  /** The dictionaries of these bases. */
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

  /** Makes one ready to be put into an answer. */
  public StackTranslator open(ReadTransaction reader, Found found, MergedStacks into)
      throws SQLException {
    StackDictionary newest = current;
    return newest.stackBase() == found.base()[0]
        ? newest.part()
        : StackTranslator.read(reader, found.base(), found.next(), into);
  }
}
