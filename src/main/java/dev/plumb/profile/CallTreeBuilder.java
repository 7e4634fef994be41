package dev.plumb.profile;

import dev.plumb.table.PairIndex;
import java.util.Arrays;

/** Merges the rows of one or more profiles into a {@link CallTree}. */
public final class CallTreeBuilder {
  private static final int ROOT = 0;

  private final SymbolIndex<Symbol> symbols = new SymbolIndex<>();

  /** Parent and symbol. */
  private final PairIndex nodes = new PairIndex();

  private final long[][] self;
  private final boolean markEnds;
  private int[] path = new int[256];

  public CallTreeBuilder(int columns) {
    this(columns, false);
  }

  /**
   * @param markEnds whether incomplete stacks are put below a node that says why they are
   */
  public CallTreeBuilder(int columns, boolean markEnds) {
    this.markEnds = markEnds;
    self = new long[columns][1024];
    nodes.add(-1, symbols.id(Symbol.ALL));
  }

  /** Adds each row's value of type {@code types[i]} to column {@code columns[i]}. */
  public void add(Profile profile, int[] types, int[] columns) {
    StackTable stacks = profile.stacks();
    int[] ofFrame = symbols.ofFrames(stacks, Symbol::of);
    int[] ofThread =
        symbols.ofThreads(profile.threads(), thread -> Symbol.process(thread.processComm()));
    // The node of each stack in the current process, + 1.
    int[] known = new int[stacks.size()];
    int process = -1;
    for (int row : byProcess(profile, ofThread)) {
      if (ofThread[profile.threadId(row)] != process) {
        process = ofThread[profile.threadId(row)];
        Arrays.fill(known, 0);
      }
      int node = node(stacks, profile.stack(row), process, ofFrame, known);
      for (int i = 0; i < types.length; i++) {
        self[columns[i]][node] += profile.value(row, types[i]);
      }
    }
  }

  /** The rows, grouped by process. */
  private static int[] byProcess(Profile profile, int[] ofThread) {
    int[] next = new int[Arrays.stream(ofThread).max().orElse(0) + 2];
    for (int row = 0; row < profile.rows(); row++) {
      next[ofThread[profile.threadId(row)] + 1]++;
    }
    for (int i = 1; i < next.length; i++) {
      next[i] += next[i - 1];
    }
    int[] order = new int[profile.rows()];
    for (int row = 0; row < order.length; row++) {
      order[next[ofThread[profile.threadId(row)]]++] = row;
    }
    return order;
  }

  private int node(StackTable stacks, int stack, int process, int[] ofFrame, int[] known) {
    int depth = 0;
    int at = stack;
    while (known[at] == 0 && !stacks.isEmpty(at)) {
      if (depth == path.length) {
        path = Arrays.copyOf(path, depth * 2);
      }
      path[depth++] = at;
      at = stacks.caller(at);
    }
    int node = known[at] == 0 ? startNode(process, stacks.end(at)) : known[at] - 1;
    known[at] = node + 1;
    while (depth > 0) {
      at = path[--depth];
      node = child(node, ofFrame[stacks.leaf(at)]);
      known[at] = node + 1;
    }
    return node;
  }

  private int startNode(int process, StackEnd end) {
    int node = processNode(process);
    return markEnds && end != StackEnd.WHOLE ? child(node, symbols.id(Symbol.cut(end))) : node;
  }

  /** A program that pushes profiles without a process has its stacks at the root. */
  private int processNode(int process) {
    return symbols.symbol(process).name().isEmpty() ? ROOT : child(ROOT, process);
  }

  private int child(int parent, int symbol) {
    int node = nodes.add(parent, symbol);
    if (node == self[0].length) {
      for (int column = 0; column < self.length; column++) {
        self[column] = Arrays.copyOf(self[column], node + (node >> 1));
      }
    }
    return node;
  }

  /** The whole tree. */
  public CallTree build() {
    return build(Integer.MAX_VALUE, 1);
  }

  /**
   * The tree; if it has more than {@code keepAll} nodes, without those whose total is less than one
   * {@code smallestPart}-th of the whole in every column. The builder cannot be used afterwards.
   */
  public CallTree build(int keepAll, int smallestPart) {
    return build(keepAll, smallestPart, Symbol.ROOT_HASH);
  }

  /** The same; below nodes with path hash {@code near}, parts are relative to those nodes. */
  public CallTree build(int keepAll, int smallestPart, int near) {
    nodes.complete();
    boolean[] kept = new boolean[nodes.size()];
    if (kept.length <= keepAll) {
      Arrays.fill(kept, true);
    } else {
      keepLarge(kept, smallestPart, bases(kept.length, near));
    }
    return tree(kept);
  }

  /** The node to which each node's part is relative. */
  private int[] bases(int count, int near) {
    int[] bases = new int[count];
    if (near == Symbol.ROOT_HASH) {
      return bases;
    }
    int[] ofSymbol = symbols.symbols().stream().mapToInt(Symbol::stableHash).toArray();
    int[] hashes = new int[count];
    hashes[ROOT] = Symbol.ROOT_HASH;
    for (int node = 1; node < count; node++) {
      int parent = nodes.first(node);
      hashes[node] = Symbol.pathHash(hashes[parent], ofSymbol[nodes.second(node)]);
      bases[node] = hashes[node] == near && bases[parent] == ROOT ? node : bases[parent];
    }
    return bases;
  }

  private void keepLarge(boolean[] kept, int smallestPart, int[] bases) {
    kept[ROOT] = true;
    for (long[] column : self) {
      long[] total = Arrays.copyOf(column, kept.length);
      for (int node = kept.length - 1; node > 0; node--) {
        total[nodes.first(node)] += total[node];
      }
      for (int node = 0; node < kept.length; node++) {
        kept[node] |= total[node] >= total[bases[node]] / smallestPart;
      }
    }
    // A small node that the user zoomed to keeps its ancestors.
    for (int node = kept.length - 1; node > 0; node--) {
      kept[nodes.first(node)] |= kept[node];
    }
  }

  private CallTree tree(boolean[] kept) {
    int count = 0;
    for (boolean keep : kept) {
      count += keep ? 1 : 0;
    }
    int[] parents = new int[count];
    int[] symbolIds = new int[count];
    long[][] values = new long[self.length][count];
    long[][] cut = new long[self.length][count == kept.length ? 0 : count];
    int cutStacks = 0;
    // A node's place in the tree; for a removed node, that of its nearest kept ancestor.
    int[] places = new int[kept.length];
    int size = 0;
    for (int node = 0; node < kept.length; node++) {
      int above = node == ROOT ? -1 : places[nodes.first(node)];
      boolean ends = false;
      if (kept[node]) {
        parents[size] = above;
        symbolIds[size] = nodes.second(node);
      }
      places[node] = kept[node] ? size++ : above;
      for (int column = 0; column < self.length; column++) {
        long value = self[column][node];
        (kept[node] ? values : cut)[column][places[node]] += value;
        ends |= value != 0;
      }
      cutStacks += ends && !kept[node] ? 1 : 0;
    }
    return new CallTree(symbols.symbols(), parents, symbolIds, values, cut, cutStacks);
  }
}
