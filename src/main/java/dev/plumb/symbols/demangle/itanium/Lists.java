package dev.plumb.symbols.demangle.itanium;

/** Lists of nodes: chains of {@link Kind#LIST}. */
final class Lists {
  private Lists() {}

  /** Reverses a list in place, because the parser builds lists from the end. */
  static int reverse(Tree tree, int list) {
    int result = Tree.NONE;
    int at = list;
    while (at != Tree.NONE) {
      int rest = tree.b(at);
      tree.setB(at, result);
      result = at;
      at = rest;
    }
    return result;
  }

  /** The element at a place, or NONE. */
  static int get(Tree tree, int list, int index) {
    int at = list;
    for (int i = index; i > 0 && at != Tree.NONE; i--) {
      at = tree.b(at);
    }
    return at == Tree.NONE ? Tree.NONE : tree.a(at);
  }

  static int size(Tree tree, int list) {
    int n = 0;
    for (int at = list; at != Tree.NONE; at = tree.b(at)) {
      n += tree.a(at) == Tree.NONE ? 0 : 1;
    }
    return n;
  }
}
