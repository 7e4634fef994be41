package dev.plumb.profile;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Merges the rows of one or more profiles into a {@link CallTree}.
 *
 * <p>Stacks are sorted from the root; then each differs from the one before it in its last frames
 * only, and those are new nodes. That needs no table of nodes, however many there are.
 */
public final class CallTreeBuilder {
  private final SymbolIndex<Symbol> symbols = new SymbolIndex<>();
  private final List<Source> sources = new ArrayList<>();
  private final long[][] values;
  private int entries;
  private int[] entrySource = new int[1024];
  private int[] entryStack = new int[1024];
  private int[] entryProcess = new int[1024];

  /** A stack table and the symbol of each of its frames. */
  private record Source(StackTable stacks, int[] ofFrame) {}

  public CallTreeBuilder(int columns) {
    values = new long[columns][1024];
    symbols.id(Symbol.ALL);
  }

  /** Adds each row's value of type {@code types[i]} to column {@code columns[i]}. */
  public void add(Profile profile, int[] types, int[] columns) {
    StackTable stacks = profile.stacks();
    sources.add(new Source(stacks, symbols.ofFrames(stacks, Symbol::of)));
    int[] ofThread =
        symbols.ofThreads(profile.threads(), thread -> Symbol.process(thread.processComm()));
    // Threads of one process often have the same stacks.
    LongIntMap known = new LongIntMap();
    for (int row = 0; row < profile.rows(); row++) {
      int stack = profile.stack(row);
      int process = ofThread[profile.threadId(row)];
      long key = (long) process << 32 | stack;
      int entry = known.get(key);
      if (entry < 0) {
        entry = entry(stack, process);
        known.put(key, entry);
      }
      for (int i = 0; i < types.length; i++) {
        values[columns[i]][entry] += profile.value(row, types[i]);
      }
    }
  }

  private int entry(int stack, int process) {
    if (entries == entryStack.length) {
      entrySource = Arrays.copyOf(entrySource, entries * 2);
      entryStack = Arrays.copyOf(entryStack, entries * 2);
      entryProcess = Arrays.copyOf(entryProcess, entries * 2);
      for (int column = 0; column < values.length; column++) {
        values[column] = Arrays.copyOf(values[column], entries * 2);
      }
    }
    entrySource[entries] = sources.size() - 1;
    entryStack[entries] = stack;
    entryProcess[entries] = process;
    return entries++;
  }

  /** The process, then the frames from the root; -1 after the leaf. */
  private int symbolAt(int entry, int level) {
    if (level == 0) {
      return entryProcess[entry];
    }
    Source source = sources.get(entrySource[entry]);
    int stack = entryStack[entry];
    int fromLeaf = source.stacks.depth(stack) - level;
    return fromLeaf < 0 ? -1 : source.ofFrame[source.stacks.frameId(stack, fromLeaf)];
  }

  /** The whole tree. */
  public CallTree build() {
    return build(Integer.MAX_VALUE, 1);
  }

  /**
   * The tree; if it has more than {@code keepAll} nodes, without those whose total is less than one
   * {@code smallestPart}-th of the whole in every column.
   */
  public CallTree build(int keepAll, int smallestPart) {
    int[] order = new int[entries];
    Arrays.setAll(order, i -> i);
    sort(order, 0, entries, 0);
    int[] shared = new int[entries];
    int[] depths = new int[entries];
    long nodeCount = 1;
    for (int i = 0; i < entries; i++) {
      depths[i] = 1 + depth(order[i]);
      shared[i] = i == 0 ? 0 : sharedLevels(order[i - 1], order[i]);
      nodeCount += depths[i] - shared[i];
    }
    int[] kept = depths;
    if (nodeCount > keepAll) {
      kept = keptLevels(order, shared, depths, smallestPart);
    }
    return nodes(order, shared, depths, kept);
  }

  private CallTree nodes(int[] order, int[] shared, int[] depths, int[] kept) {
    CallTreeNodes nodes = new CallTreeNodes(values.length, countNodes(shared, kept));
    for (int i = 0; i < entries; i++) {
      int entry = order[i];
      int level = nodes.backTo(shared[i]);
      // Where the frames shared with the last stack were cut, so is all below them.
      int to = level < shared[i] ? level : kept[i];
      while (level < to) {
        nodes.enter(symbolAt(entry, level++));
      }
      boolean whole = level == depths[i];
      for (int column = 0; column < values.length; column++) {
        nodes.add(column, values[column][entry], whole);
      }
    }
    return nodes.tree(symbols.symbols());
  }

  private static int countNodes(int[] shared, int[] kept) {
    long count = 1;
    int depth = 0;
    for (int i = 0; i < shared.length; i++) {
      int level = Math.min(depth, shared[i]);
      depth = level < shared[i] ? level : kept[i];
      count += depth - level;
    }
    return Math.toIntExact(count);
  }

  /** How many levels of each stack have nodes large enough to keep, of those that begin with it. */
  private int[] keptLevels(int[] order, int[] shared, int[] depths, int smallestPart) {
    long[][] sums = new long[values.length][entries + 1];
    for (int column = 0; column < values.length; column++) {
      for (int i = 0; i < entries; i++) {
        sums[column][i + 1] = sums[column][i] + values[column][order[i]];
      }
    }
    int[] kept = new int[entries];
    // For each level, the next stack that does not share it with this one.
    int[] end = new int[Arrays.stream(depths).max().orElse(0) + 1];
    Arrays.fill(end, entries);
    for (int i = entries - 1; i >= 0; i--) {
      int level = shared[i];
      while (level < depths[i] && isLarge(sums, i, end[level + 1], smallestPart)) {
        level++;
      }
      kept[i] = level;
      Arrays.fill(end, shared[i] + 1, end.length, i);
    }
    return kept;
  }

  private static boolean isLarge(long[][] sums, int from, int to, int smallestPart) {
    for (long[] column : sums) {
      if (column[to] - column[from] >= column[column.length - 1] / smallestPart) {
        return true;
      }
    }
    return false;
  }

  private int depth(int entry) {
    return sources.get(entrySource[entry]).stacks.depth(entryStack[entry]);
  }

  private int sharedLevels(int a, int b) {
    int level = 0;
    int symbol = symbolAt(a, 0);
    while (symbol >= 0 && symbol == symbolAt(b, level)) {
      symbol = symbolAt(a, ++level);
    }
    return level;
  }

  /** Quicksort in three parts by one symbol at a time; the part that is alike goes a level on. */
  private void sort(int[] order, int from, int to, int level) {
    int low = from;
    int high = to;
    int at = level;
    while (high - low > 1) {
      int pivot = symbolAt(order[(low + high) >>> 1], at);
      int less = low;
      int more = high;
      int i = low;
      while (i < more) {
        int symbol = symbolAt(order[i], at);
        if (symbol < pivot) {
          swap(order, i++, less++);
        } else if (symbol > pivot) {
          swap(order, i, --more);
        } else {
          i++;
        }
      }
      sort(order, low, less, at);
      sort(order, more, high, at);
      if (pivot < 0) {
        return;
      }
      low = less;
      high = more;
      at++;
    }
  }

  private static void swap(int[] order, int a, int b) {
    int other = order[a];
    order[a] = order[b];
    order[b] = other;
  }
}
