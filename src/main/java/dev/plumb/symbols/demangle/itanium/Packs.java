package dev.plumb.symbols.demangle.itanium;

import java.util.Arrays;

/** Resolves template parameters to their arguments, and expands parameter packs. */
final class Packs {
  /** The whole pack, as in a fold expression. */
  static final int WHOLE = -1;

  private static final int NO_SCOPE = -2;

  private final Printer printer;
  private final Tree tree;

  /** Scopes are a chain from the innermost function outwards. */
  private int[] scopeArguments = new int[4];

  private int[] outerScopes = new int[4];
  private int scopes;
  int scope = NO_SCOPE;

  /** The element of the pack that its parameter stands for at the moment. */
  int index;

  /** In a lambda's parameters a template parameter is an {@code auto} and stands for itself. */
  boolean inLambda;

  /** Template parameters that the lambda declares: those have names. */
  int declared = Tree.NONE;

  Packs(Printer printer) {
    this.printer = printer;
    this.tree = printer.tree;
  }

  /** Enters a function: parameters in its types stand for its template arguments. */
  void push(int name) {
    int arguments = argumentsOf(name);
    if (arguments != Tree.NONE) {
      if (scopes == scopeArguments.length) {
        scopeArguments = Arrays.copyOf(scopeArguments, 2 * scopes);
        outerScopes = Arrays.copyOf(outerScopes, 2 * scopes);
      }
      scopeArguments[scopes] = arguments;
      outerScopes[scopes] = scope;
      scope = scopes++;
    }
  }

  private int argumentsOf(int name) {
    int n = name;
    while (true) {
      switch (tree.kind(n)) {
        case Kind.LOCAL, Kind.DEFAULT_ARGUMENT -> n = tree.b(n);
        case Kind.TEMPLATE -> {
          return tree.b(n);
        }
        case Kind.NESTED -> n = tree.kind(tree.b(n)) == Kind.CONVERSION ? tree.a(n) : tree.b(n);
        case Kind.TAGGED, Kind.IN_MODULE -> n = tree.a(n);
        default -> {
          return Tree.NONE;
        }
      }
    }
  }

  /** The scope in which the argument that a parameter stands for is to be read. */
  int outer() {
    return scope == NO_SCOPE ? NO_SCOPE : outerScopes[scope];
  }

  /** What a template parameter stands for; any other node itself. */
  int resolve(int node) {
    int result = node;
    if (inLambda) {
      return node;
    }
    int in = scope;
    while (tree.kind(result) == Kind.PARAMETER) {
      int argument = argument(result, in);
      if (tree.kind(argument) == Kind.PACK && index != WHOLE) {
        argument = Lists.get(tree, tree.a(argument), index);
        printer.step(index);
        if (argument == Tree.NONE) {
          throw Parse.fail();
        }
      }
      result = argument;
      in = outerScopes[in];
    }
    return result;
  }

  private int argument(int parameter, int in) {
    if (in == NO_SCOPE) {
      throw Parse.fail();
    }
    printer.step(1 + tree.a(parameter));
    int argument = Lists.get(tree, scopeArguments[in], tree.a(parameter));
    if (argument == Tree.NONE) {
      throw Parse.fail();
    }
    return argument;
  }

  /**
   * The scope of the parameter that a reference type refers to: that of its first use. A later use
   * is a substitution and means the same type, although it may be in another function.
   */
  int scopeOfReferred(int parameter) {
    if (tree.b(parameter) == Tree.NONE) {
      tree.setB(parameter, scope);
    }
    return tree.b(parameter);
  }

  /** The first pack that a pattern has a parameter for, or NONE. */
  int find(int pattern) {
    return pattern == Tree.NONE ? Tree.NONE : find(pattern, 0);
  }

  private int find(int node, int depth) {
    printer.step(1);
    if (depth > Parse.MAX_DEPTH) {
      throw Parse.fail();
    }
    int kind = tree.kind(node);
    if (kind == Kind.PARAMETER) {
      if (inLambda) {
        return Tree.NONE;
      }
      int argument = argument(node, scope);
      return tree.kind(argument) == Kind.PACK ? argument : Tree.NONE;
    }
    if (kind == Kind.EXPANSION) {
      return Tree.NONE;
    }
    int children = Children.of(kind);
    int found = Tree.NONE;
    if ((children & 1) != 0 && tree.a(node) != Tree.NONE) {
      found = find(tree.a(node), depth + 1);
    }
    if (found == Tree.NONE && (children & 2) != 0 && tree.b(node) != Tree.NONE) {
      // Following a list is not nesting, so it does not count as depth.
      found = find(tree.b(node), kind == Kind.LIST ? depth : depth + 1);
    }
    if (found == Tree.NONE && (children & 4) != 0 && tree.c(node) != Tree.NONE) {
      found = find(tree.c(node), depth + 1);
    }
    return found;
  }

  /** How many arguments a list has when its packs are expanded. */
  int count(int list) {
    int count = 0;
    for (int at = list; at != Tree.NONE; at = tree.b(at)) {
      printer.step(1);
      int element = tree.a(at);
      switch (element == Tree.NONE ? 0 : tree.kind(element)) {
        case 0 -> {}
        case Kind.EXPANSION -> count += size(find(tree.a(element)));
        case Kind.PACK -> count += count(tree.a(element));
        default -> count++;
      }
    }
    return count;
  }

  int size(int pack) {
    return pack == Tree.NONE ? 0 : Lists.size(tree, tree.a(pack));
  }
}
