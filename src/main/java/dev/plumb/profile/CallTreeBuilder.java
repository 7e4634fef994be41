package dev.plumb.profile;

import java.util.Arrays;

/** Merges the rows of one or more profiles into a {@link CallTree}. */
public final class CallTreeBuilder {
  private final SymbolIndex<Symbol> symbols = new SymbolIndex<>();
  private int size = 1;
  private int[] parents = new int[1024];
  private int[] symbolIds = new int[1024];
  private final long[][] self;

  /** Open addressing over node numbers + 1 by parent and symbol; grown at half full. */
  private int[] slots = new int[4096];

  /** The nodes that the last stack walked over, from the root; most stacks begin alike. */
  private int[] path = new int[256];

  private int pathLength;

  public CallTreeBuilder(int columns) {
    self = new long[columns][1024];
    parents[0] = -1;
    symbolIds[0] = symbols.id(Symbol.ALL);
  }

  /** Adds each row's value of type {@code types[i]} to column {@code columns[i]}. */
  public void add(Profile profile, int[] types, int[] columns) {
    StackTable stacks = profile.stacks();
    int[] ofFrame = symbols.ofFrames(stacks, Symbol::of);
    int[] ofThread =
        symbols.ofThreads(profile.threads(), thread -> Symbol.process(thread.processComm()));
    // Threads of one process often have the same stacks: walk each but once.
    LongIntMap leafs = new LongIntMap();
    for (int row = 0; row < profile.rows(); row++) {
      int stack = profile.stack(row);
      int process = ofThread[profile.threadId(row)];
      long key = (long) process << 32 | stack;
      int leaf = leafs.get(key);
      if (leaf < 0) {
        leaf = walk(stacks, stack, process, ofFrame);
        leafs.put(key, leaf);
      }
      for (int i = 0; i < types.length; i++) {
        self[columns[i]][leaf] += profile.value(row, types[i]);
      }
    }
  }

  private int walk(StackTable stacks, int stack, int process, int[] ofFrame) {
    int depth = stacks.depth(stack) + 1;
    if (path.length < depth) {
      path = Arrays.copyOf(path, depth * 2);
    }
    int node = 0;
    boolean alike = true;
    for (int i = 0; i < depth; i++) {
      int symbol = i == 0 ? process : ofFrame[stacks.frameId(stack, depth - 1 - i)];
      alike = alike && i < pathLength && symbolIds[path[i]] == symbol;
      node = alike ? path[i] : child(node, symbol);
      path[i] = node;
    }
    pathLength = depth;
    return node;
  }

  private int child(int parent, int symbol) {
    int slot = slotOf(parent, symbol);
    if (slots[slot] != 0) {
      return slots[slot] - 1;
    }
    if (size == parents.length) {
      grow();
    }
    int node = size++;
    parents[node] = parent;
    symbolIds[node] = symbol;
    slots[slot] = node + 1;
    if (size * 2 > slots.length) {
      rehash();
    }
    return node;
  }

  private int slotOf(int parent, int symbol) {
    int hash = (parent * 0x9E3779B1 ^ symbol) * 0x85EBCA77;
    int slot = (hash ^ hash >>> 15) & (slots.length - 1);
    while (slots[slot] != 0) {
      int node = slots[slot] - 1;
      if (parents[node] == parent && symbolIds[node] == symbol) {
        break;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
    return slot;
  }

  private void rehash() {
    slots = new int[slots.length * 2];
    for (int node = 1; node < size; node++) {
      slots[slotOf(parents[node], symbolIds[node])] = node + 1;
    }
  }

  private void grow() {
    parents = Arrays.copyOf(parents, size * 2);
    symbolIds = Arrays.copyOf(symbolIds, size * 2);
    for (int column = 0; column < self.length; column++) {
      self[column] = Arrays.copyOf(self[column], size * 2);
    }
  }

  public CallTree build() {
    long[][] values = new long[self.length][];
    Arrays.setAll(values, column -> Arrays.copyOf(self[column], size));
    return new CallTree(
        symbols.symbols(), Arrays.copyOf(parents, size), Arrays.copyOf(symbolIds, size), values);
  }
}
