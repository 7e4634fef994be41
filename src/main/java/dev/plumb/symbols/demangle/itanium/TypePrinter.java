package dev.plumb.symbols.demangle.itanium;

/**
 * Writes types. A declarator surrounds what it declares, so a type is written in two parts: {@link
 * #left} writes what comes before the declared name, {@link #right} what comes after it.
 */
final class TypePrinter {
  private static final int MAX_DEPTH = 512;

  /** A qualifier or class stands between the function and its parenthesis. */
  private static final int SPACED = 1;

  /** In the third field of a parameter or a reference: it is being written. */
  private static final int OPEN = 1;

  private final Printer printer;
  private final Tree tree;
  private final StringBuilder out;
  private final Packs packs;
  private int depth;

  TypePrinter(Printer printer) {
    this.printer = printer;
    this.tree = printer.tree;
    this.out = printer.out;
    this.packs = printer.packs;
  }

  void print(int node) {
    left(node, 0);
    right(node);
  }

  private void enter() {
    printer.step(1);
    if (++depth > MAX_DEPTH) {
      throw Parse.fail();
    }
  }

  private void left(int node, int flags) {
    enter();
    int kind = tree.kind(node);
    switch (kind) {
      case Kind.POINTER -> pointerLeft(tree.a(node), "*", flags);
      case Kind.REFERENCE -> referenceLeft(node, flags);
      case Kind.RVALUE_REFERENCE -> referenceLeft(node, flags);
      case Kind.CONST, Kind.VOLATILE, Kind.RESTRICT -> {
        left(tree.a(node), SPACED);
        if (!repeats(kind, tree.a(node))) {
          out.append(
              kind == Kind.CONST ? " const" : kind == Kind.VOLATILE ? " volatile" : " restrict");
        }
      }
      case Kind.COMPLEX -> modifierLeft(node, " _Complex");
      case Kind.IMAGINARY -> modifierLeft(node, " _Imaginary");
      case Kind.VENDOR_QUALIFIER -> {
        left(tree.a(node), SPACED);
        open(tree.a(node), SPACED);
        out.append(' ');
        print(tree.b(node));
      }
      case Kind.MEMBER_POINTER -> memberPointerLeft(node);
      case Kind.FUNCTION -> resultLeft(node);
      case Kind.ARRAY -> left(tree.b(node), 0);
      case Kind.VECTOR -> {
        print(tree.b(node));
        out.append(" __vector(");
        print(tree.a(node));
        out.append(')');
      }
      case Kind.PARAMETER -> {
        if (packs.inLambda) {
          printer.lambdas.parameter(tree.a(node));
        } else {
          int scope = packs.scope;
          int outer = tree.c(node);
          int argument = packs.resolve(node);
          packs.scope = packs.outer();
          tree.setC(node, OPEN);
          left(argument, flags);
          tree.setC(node, outer);
          packs.scope = scope;
        }
      }
      default -> printer.plain(kind, node);
    }
    depth--;
  }

  private void right(int node) {
    enter();
    switch (tree.kind(node)) {
      case Kind.POINTER -> pointerRight(tree.a(node));
      case Kind.REFERENCE, Kind.RVALUE_REFERENCE -> {
        int scope = packs.scope;
        int outer = tree.c(node);
        enterReferred(node);
        tree.setC(node, OPEN);
        pointerRight(tree.a(collapsed(node)));
        tree.setC(node, outer);
        packs.scope = scope;
      }
      case Kind.CONST, Kind.VOLATILE, Kind.RESTRICT, Kind.COMPLEX, Kind.IMAGINARY ->
          right(tree.a(node));
      case Kind.VENDOR_QUALIFIER -> pointerRight(tree.a(node));
      case Kind.MEMBER_POINTER -> pointerRight(tree.b(node));
      case Kind.FUNCTION -> functionRight(node);
      case Kind.ARRAY -> {
        out.append(printer.last() == ']' ? "[" : " [");
        if (tree.a(node) != Tree.NONE) {
          print(tree.a(node));
        }
        out.append(']');
        right(tree.b(node));
      }
      case Kind.PARAMETER -> {
        if (!packs.inLambda) {
          int scope = packs.scope;
          int outer = tree.c(node);
          int argument = packs.resolve(node);
          packs.scope = packs.outer();
          tree.setC(node, OPEN);
          right(argument);
          tree.setC(node, outer);
          packs.scope = scope;
        }
      }
      default -> {
        // Other nodes are written by left().
      }
    }
    depth--;
  }

  private void modifierLeft(int node, String text) {
    left(tree.a(node), SPACED);
    out.append(text);
  }

  /** Whether the same qualifier is below, as in {@code const T} where T is a constant type. */
  private boolean repeats(int kind, int below) {
    int node = packs.resolve(below);
    while (isQualifier(tree.kind(node))) {
      if (tree.kind(node) == kind) {
        return true;
      }
      printer.step(1);
      node = packs.resolve(tree.a(node));
    }
    return false;
  }

  private static boolean isQualifier(int kind) {
    return kind == Kind.CONST || kind == Kind.VOLATILE || kind == Kind.RESTRICT;
  }

  private void pointerLeft(int target, String sign, int flags) {
    left(target, flags);
    open(target, flags);
    out.append(sign);
  }

  /** The parenthesis that a pointer to a function or an array needs. */
  private void open(int target, int flags) {
    int base = declaratorBase(target);
    if (base == Kind.ARRAY) {
      out.append(" (");
    } else if (base == Kind.FUNCTION) {
      char c = printer.last();
      if (c != ' ' && ((flags & SPACED) != 0 || c != '(' && c != '*')) {
        out.append(' ');
      }
      out.append('(');
    }
  }

  private void pointerRight(int target) {
    if (declaratorBase(target) != 0) {
      out.append(')');
    }
    right(target);
  }

  /** FUNCTION or ARRAY if a pointer to it needs a parenthesis, else 0. */
  private int declaratorBase(int target) {
    int node = packs.resolve(target);
    while (isQualifier(tree.kind(node))) {
      printer.step(1);
      node = packs.resolve(tree.a(node));
    }
    int kind = tree.kind(node);
    return kind == Kind.FUNCTION || kind == Kind.ARRAY ? kind : 0;
  }

  /** References to references are one: the other one if this is {@code &&}, else {@code &}. */
  private int collapsed(int node) {
    int result = node;
    while (true) {
      printer.step(1);
      int below = packs.resolve(tree.a(result));
      int kind = tree.kind(below);
      if (kind == Kind.REFERENCE || kind == Kind.RVALUE_REFERENCE) {
        result = below;
      } else {
        return result;
      }
    }
  }

  private void referenceLeft(int node, int flags) {
    int scope = packs.scope;
    int outer = tree.c(node);
    enterReferred(node);
    tree.setC(node, OPEN);
    boolean lvalue = tree.kind(node) == Kind.REFERENCE;
    int inner = collapsed(node);
    for (int n = node; n != inner; n = packs.resolve(tree.a(n))) {
      printer.step(1);
      lvalue |= tree.kind(n) == Kind.REFERENCE;
    }
    lvalue |= tree.kind(inner) == Kind.REFERENCE;
    pointerLeft(tree.a(inner), lvalue ? "&" : "&&", flags);
    tree.setC(node, outer);
    packs.scope = scope;
  }

  /**
   * Below a reference to a parameter, that parameter is read in the scope of its first reference.
   * Within that reference, or the parameter itself, it is another function's and read there.
   */
  private void enterReferred(int reference) {
    int target = tree.a(reference);
    if (tree.kind(target) == Kind.PARAMETER
        && !packs.inLambda
        && tree.c(target) != OPEN
        && tree.c(reference) != OPEN) {
      packs.scope = packs.scopeOfReferred(target);
    }
  }

  private void memberPointerLeft(int node) {
    int target = tree.b(node);
    left(target, SPACED);
    open(target, SPACED);
    if (printer.last() != '(') {
      out.append(' ');
    }
    print(tree.a(node));
    out.append("::*");
  }

  void resultLeft(int function) {
    int result = tree.a(function);
    if (result == Tree.NONE) {
      return;
    }
    left(result, 0);
    if (!surrounds(result)) {
      out.append(' ');
    }
  }

  /** Whether a part of the type comes after the name. */
  private boolean surrounds(int type) {
    int node = packs.resolve(type);
    while (true) {
      printer.step(1);
      switch (tree.kind(node)) {
        case Kind.POINTER,
            Kind.REFERENCE,
            Kind.RVALUE_REFERENCE,
            Kind.CONST,
            Kind.VOLATILE,
            Kind.RESTRICT,
            Kind.VENDOR_QUALIFIER ->
            node = packs.resolve(tree.a(node));
        case Kind.MEMBER_POINTER -> node = packs.resolve(tree.b(node));
        case Kind.FUNCTION, Kind.ARRAY -> {
          return true;
        }
        default -> {
          return false;
        }
      }
    }
  }

  void functionRight(int function) {
    out.append('(');
    printer.list(tree.b(function));
    out.append(')');
    suffixes(tree.c(function));
    if (tree.a(function) != Tree.NONE) {
      right(tree.a(function));
    }
  }

  void suffixes(int list) {
    for (int at = list; at != Tree.NONE; at = tree.b(at)) {
      print(tree.a(at));
    }
  }
}
