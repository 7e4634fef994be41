package dev.plumb.symbols.demangle.itanium;

/**
 * Writes a parsed C++ name as c++filt does: {@code const} after what it applies to, a blank between
 * closing angle brackets, the standard library's abbreviations in full.
 */
final class Printer {
  /** Longer names help nobody, and substitutions can make them grow exponentially. */
  private static final int MAX_OUTPUT = 1 << 17;

  private static final int MAX_STEPS = 1 << 20;
  final Parse p;
  final Tree tree;
  final StringBuilder out;
  final Packs packs;
  private final boolean brief;
  private final TypePrinter types;
  private final ExpressionPrinter expressions;
  final LambdaPrinter lambdas;
  private int steps;

  Printer(Parse p, boolean brief) {
    this.p = p;
    this.tree = p.tree;
    this.brief = brief;
    this.out = new StringBuilder(2 * p.text.length() + 16);
    this.packs = new Packs(this);
    this.types = new TypePrinter(this);
    this.expressions = new ExpressionPrinter(this);
    this.lambdas = new LambdaPrinter(this);
  }

  /** Counts a step, so that no name can take long. */
  void step(int cost) {
    steps += cost;
    if (steps > MAX_STEPS || out.length() > MAX_OUTPUT) {
      throw Parse.fail();
    }
  }

  char last() {
    int n = out.length();
    return n == 0 ? 0 : out.charAt(n - 1);
  }

  void print(int node) {
    types.print(node);
  }

  /**
   * Writes a list with commas; an element that writes nothing, such as an empty pack, gets none.
   */
  void list(int list) {
    int start = out.length();
    for (int at = list; at != Tree.NONE; at = tree.b(at)) {
      int before = out.length();
      if (before > start) {
        out.append(", ");
      }
      int mark = out.length();
      if (tree.a(at) != Tree.NONE) {
        print(tree.a(at));
      }
      if (out.length() == mark) {
        out.setLength(before);
      }
    }
  }

  /** Writes any node except the types that surround a name. */
  void plain(int kind, int node) {
    switch (kind) {
      case Kind.NAME -> out.append(p.text, tree.a(node), tree.b(node));
      case Kind.TEXT -> text(tree.textOf(node));
      case Kind.BUILTIN -> out.append(Builtins.name(tree.a(node)));
      case Kind.NESTED, Kind.LOCAL -> {
        print(tree.a(node));
        out.append("::");
        print(tree.b(node));
      }
      case Kind.TEMPLATE -> template(node);
      case Kind.TYPED -> typed(node);
      case Kind.QUALIFIED -> {
        print(tree.a(node));
        types.suffixes(brief ? Tree.NONE : tree.b(node));
      }
      case Kind.PACK -> list(tree.a(node));
      case Kind.CONSTRUCTOR, Kind.VENDOR_TYPE -> print(tree.a(node));
      case Kind.DESTRUCTOR -> {
        out.append('~');
        print(tree.a(node));
      }
      case Kind.SPECIAL, Kind.NAMED_OPERATOR, Kind.CONSTRAINED -> {
        print(tree.a(node));
        print(tree.b(node));
      }
      case Kind.OPERATOR -> operator(Operators.text(tree.a(node)));
      case Kind.CONVERSION -> {
        out.append("operator ");
        print(tree.a(node));
      }
      case Kind.LAMBDA -> lambda(node);
      case Kind.UNNAMED -> out.append("{unnamed type#").append(tree.a(node)).append('}');
      case Kind.TAGGED -> tagged(node);
      case Kind.CLONE -> {
        print(tree.a(node));
        out.append(" [clone ");
        print(tree.b(node));
        out.append(']');
      }
      default -> rare(kind, node);
    }
  }

  private void rare(int kind, int node) {
    switch (kind) {
      case Kind.CONSTRUCTION_VTABLE -> {
        out.append("construction vtable for ");
        print(tree.a(node));
        out.append("-in-");
        print(tree.b(node));
      }
      case Kind.DEFAULT_ARGUMENT -> {
        out.append("{default arg#").append(tree.a(node)).append("}::");
        print(tree.b(node));
      }
      case Kind.NUMBERED -> {
        print(tree.a(node));
        out.append(tree.b(node)).append(" for ");
        print(tree.c(node));
      }
      case Kind.BINDING -> {
        out.append('[');
        list(tree.a(node));
        out.append(']');
      }
      case Kind.IN_MODULE -> {
        print(tree.a(node));
        out.append('@');
        print(tree.b(node));
      }
      case Kind.MODULE -> {
        if (tree.a(node) != Tree.NONE) {
          print(tree.a(node));
        }
        if (tree.c(node) == 1) {
          out.append(':');
        } else if (tree.a(node) != Tree.NONE) {
          out.append('.');
        }
        print(tree.b(node));
      }
      case Kind.SUFFIX -> {
        print(tree.a(node));
        out.append('(');
        list(tree.b(node));
        out.append(')');
      }
      default -> expressions.print(kind, node);
    }
  }

  private void text(String text) {
    int arguments = brief ? text.indexOf('<') : -1;
    if (arguments > 0) {
      out.append(text, 0, arguments).append("<>");
    } else {
      out.append(text);
    }
  }

  private void template(int node) {
    print(tree.a(node));
    if (last() == '<') {
      out.append(' ');
    }
    out.append('<');
    if (!brief) {
      list(tree.b(node));
      if (last() == '>') {
        out.append(' ');
      }
    }
    out.append('>');
  }

  private void typed(int node) {
    if (brief) {
      int outer = packs.scope;
      packs.push(tree.a(node));
      print(tree.a(node));
      packs.scope = outer;
      return;
    }
    int function = tree.b(node);
    int scope = packs.scope;
    packs.push(tree.a(node));
    types.resultLeft(function);
    print(tree.a(node));
    types.functionRight(function);
    packs.scope = scope;
  }

  private void operator(String text) {
    out.append("operator");
    if (text.charAt(0) >= 'a' && text.charAt(0) <= 'z') {
      out.append(' ');
    }
    out.append(text);
    if (last() == ' ') {
      out.setLength(out.length() - 1);
    }
  }

  private void lambda(int node) {
    out.append("{lambda");
    if (!brief) {
      boolean outer = packs.inLambda;
      int outerDeclared = packs.declared;
      packs.inLambda = true;
      packs.declared = tree.c(node);
      lambdas.declarations(tree.c(node));
      out.append('(');
      list(tree.a(node));
      out.append(')');
      packs.declared = outerDeclared;
      packs.inLambda = outer;
    }
    out.append('#').append(tree.b(node)).append('}');
  }

  private void tagged(int node) {
    print(tree.a(node));
    if (!brief) {
      out.append("[abi:");
      print(tree.b(node));
      out.append(']');
    }
  }
}
