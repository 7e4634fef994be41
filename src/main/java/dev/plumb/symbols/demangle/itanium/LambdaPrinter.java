package dev.plumb.symbols.demangle.itanium;

/** Writes the template parameters that a lambda declares, which have numbers for names. */
final class LambdaPrinter {
  private final Printer printer;
  private final Tree tree;
  private final StringBuilder out;

  LambdaPrinter(Printer printer) {
    this.printer = printer;
    this.tree = printer.tree;
    this.out = printer.out;
  }

  /** {@code <typename $T0, int $N1>}; nothing if there are none. */
  void declarations(int list) {
    if (list == Tree.NONE) {
      return;
    }
    out.append('<');
    int index = 0;
    for (int at = list; at != Tree.NONE; at = tree.b(at)) {
      out.append(index > 0 ? ", " : "");
      declaration(tree.a(at), false);
      out.append(' ');
      name(tree.a(at), index++);
    }
    out.append('>');
  }

  private void declaration(int node, boolean pack) {
    printer.step(1);
    switch (tree.a(node)) {
      case 'p' -> declaration(tree.b(node), true);
      case 'n' -> {
        printer.print(tree.b(node));
        out.append(pack ? "..." : "");
      }
      case 't' -> {
        out.append("template<");
        for (int at = tree.b(node); at != Tree.NONE; at = tree.b(at)) {
          out.append(at != tree.b(node) ? ", " : "");
          declaration(tree.a(at), false);
        }
        out.append("> class").append(pack ? "..." : "");
      }
      default -> out.append(pack ? "typename..." : "typename");
    }
  }

  private void name(int declaration, int index) {
    int node = declaration;
    while (tree.a(node) == 'p') {
      printer.step(1);
      node = tree.b(node);
    }
    out.append(tree.a(node) == 'n' ? "$N" : tree.a(node) == 't' ? "$TT" : "$T").append(index);
  }

  /** A parameter among a lambda's: a declared one, or one that an {@code auto} made. */
  void parameter(int index) {
    printer.step(1 + index);
    int declared = Lists.get(tree, printer.packs.declared, index);
    if (declared == Tree.NONE) {
      out.append("auto:").append(index + 1);
    } else {
      name(declared, index);
    }
  }
}
