package dev.plumb.profile;

import java.util.Arrays;
import java.util.List;

/** The self and total values of each function in a tree, per column; recursion counts once. */
public final class FunctionSums {
  private final List<Symbol> functions;
  private final long[][] self;
  private final long[][] total;

  public FunctionSums(CallTree tree) {
    SymbolIndex<Symbol> index = new SymbolIndex<>();
    int[] functionOf = tree.symbols().stream().mapToInt(s -> index.id(s.function())).toArray();
    functions = index.symbols();
    self = new long[tree.columns()][functions.size()];
    total = new long[tree.columns()][functions.size()];
    Path path = new Path(functions.size());
    tree.walk(
        (node, depth) -> {
          int function = functionOf[tree.symbolId(node)];
          boolean first = path.enter(depth, function);
          for (int column = 0; column < self.length; column++) {
            self[column][function] += tree.self(node, column);
            total[column][function] += first ? tree.total(node, column) : 0;
          }
          return true;
        });
  }

  /** All functions and processes, by id. */
  public List<Symbol> functions() {
    return functions;
  }

  public long self(int function, int column) {
    return self[column][function];
  }

  public long total(int function, int column) {
    return total[column][function];
  }

  /** The functions from the root to the current node of a walk. */
  private static final class Path {
    private final int[] times;
    private int[] functions = new int[64];
    private int length;

    Path(int count) {
      times = new int[count];
    }

    /** Enters a node; returns whether none of its ancestors has the same function. */
    boolean enter(int depth, int function) {
      while (length > depth) {
        times[functions[--length]]--;
      }
      if (length == functions.length) {
        functions = Arrays.copyOf(functions, length * 2);
      }
      functions[length++] = function;
      return times[function]++ == 0;
    }
  }
}
