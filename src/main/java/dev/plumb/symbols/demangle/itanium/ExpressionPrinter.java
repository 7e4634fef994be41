package dev.plumb.symbols.demangle.itanium;

/** Writes expressions: operands in parentheses unless they are plain names. */
final class ExpressionPrinter {
  private final Printer printer;
  private final Tree tree;
  private final StringBuilder out;
  private final Packs packs;

  ExpressionPrinter(Printer printer) {
    this.printer = printer;
    this.tree = printer.tree;
    this.out = printer.out;
    this.packs = printer.packs;
  }

  void print(int kind, int node) {
    switch (kind) {
      case Kind.UNARY -> unary(node);
      case Kind.POSTFIX -> {
        operand(tree.b(node));
        out.append(Operators.text(tree.a(node)));
      }
      case Kind.BINARY -> binary(node);
      case Kind.TRINARY -> trinary(node);
      case Kind.LITERAL, Kind.NEGATIVE_LITERAL -> literal(node, kind == Kind.NEGATIVE_LITERAL);
      case Kind.EXPANSION -> expansion(tree.a(node));
      case Kind.DECLTYPE -> {
        out.append("decltype (");
        printer.print(tree.a(node));
        out.append(')');
      }
      case Kind.FUNCTION_PARAMETER -> {
        if (tree.a(node) == 0) {
          out.append("this");
        } else {
          out.append("{parm#").append(tree.a(node)).append('}');
        }
      }
      case Kind.INITIALIZER -> {
        if (tree.a(node) != Tree.NONE) {
          printer.print(tree.a(node));
        }
        out.append('{');
        printer.list(tree.b(node));
        out.append('}');
      }
      case Kind.CAST -> cast(node);
      case Kind.SUBOBJECT -> {
        printer.print(tree.a(node));
        out.append(".<");
        printer.print(tree.b(node));
        out.append(" at offset ");
        printer.print(tree.c(node));
        out.append('>');
      }
      case Kind.VENDOR_EXPRESSION -> {
        printer.print(tree.a(node));
        inParentheses(tree.b(node));
      }
      default -> throw Parse.fail();
    }
  }

  private void inParentheses(int list) {
    out.append('(');
    printer.list(list);
    out.append(')');
  }

  private void operand(int node) {
    switch (tree.kind(node)) {
      case Kind.NAME, Kind.NESTED, Kind.INITIALIZER, Kind.FUNCTION_PARAMETER, Kind.SUBOBJECT ->
          printer.print(node);
      default -> {
        out.append('(');
        printer.print(node);
        out.append(')');
      }
    }
  }

  private void cast(int node) {
    int list = tree.b(node);
    if (tree.a(node) != Tree.NONE) {
      out.append('(');
      printer.print(tree.a(node));
      out.append(')');
    }
    if (tree.c(node) == 1) {
      operand(tree.a(list));
    } else {
      inParentheses(list);
    }
  }

  private void unary(int node) {
    int operator = tree.a(node);
    int x = tree.b(node);
    String text = Operators.text(operator);
    switch (Operators.first(operator) << 8 | Operators.second(operator)) {
      case 's' << 8 | 'Z' -> out.append(packs.size(packs.find(x)));
      case 's' << 8 | 'P' -> out.append(packs.count(x));
      case 'g' << 8 | 's' -> {
        out.append("::");
        printer.print(x);
      }
      case 's' << 8 | 't', 'a' << 8 | 't', 't' << 8 | 'i', 't' << 8 | 'e', 'n' << 8 | 'x' -> {
        out.append(text).append('(');
        printer.print(x);
        out.append(')');
      }
      case 'a' << 8 | 'd' -> {
        out.append('&');
        boolean member =
            tree.kind(x) == Kind.TYPED
                && tree.kind(tree.a(x)) == Kind.NESTED
                && tree.c(tree.b(x)) == Tree.NONE;
        operand(member ? tree.a(x) : x);
      }
      default -> {
        out.append(text);
        operand(x);
      }
    }
  }

  private void binary(int node) {
    int operator = tree.a(node);
    int x = tree.b(node);
    int y = tree.c(node);
    String text = Operators.text(operator);
    switch (Operators.first(operator) << 8 | Operators.second(operator)) {
      case 'c' << 8 | 'c', 'd' << 8 | 'c', 'r' << 8 | 'c', 's' << 8 | 'c' -> {
        out.append(text).append('<');
        printer.print(x);
        out.append(">(");
        printer.print(y);
        out.append(')');
      }
      case 'f' << 8 | 'l' -> fold(Tree.NONE, x, y);
      case 'f' << 8 | 'r' -> fold(y, x, Tree.NONE);
      case 'c' << 8 | 'l' -> {
        operand(tree.kind(x) == Kind.TYPED ? tree.a(x) : x);
        inParentheses(y);
      }
      case 'i' << 8 | 'x' -> {
        operand(x);
        out.append('[');
        printer.print(y);
        out.append(']');
      }
      case 'd' << 8 | 'i' -> {
        out.append('.');
        printer.print(x);
        designated(y);
      }
      case 'd' << 8 | 'x' -> {
        out.append('[');
        printer.print(x);
        out.append(']');
        designated(y);
      }
      case 'g' << 8 | 't' -> {
        // Told apart from the bracket that ends template arguments.
        out.append('(');
        infix(x, text, y);
        out.append(')');
      }
      default -> infix(x, text, y);
    }
  }

  private void infix(int x, String text, int y) {
    operand(x);
    out.append(text);
    operand(y);
  }

  private void designated(int value) {
    int kind = tree.kind(value);
    if (kind == Kind.BINARY || kind == Kind.TRINARY) {
      int operator = tree.a(value);
      if (Operators.is(operator, 'd', 'i')
          || Operators.is(operator, 'd', 'x')
          || Operators.is(operator, 'd', 'X')) {
        printer.print(value);
        return;
      }
    }
    out.append('=');
    operand(value);
  }

  /** Over the whole pack: {@code (x+...+y)}, either side NONE. */
  private void fold(int before, int operator, int after) {
    int outer = packs.index;
    packs.index = Packs.WHOLE;
    String text = Operators.text(tree.a(operator));
    out.append('(');
    if (before != Tree.NONE) {
      operand(before);
      out.append(text);
    }
    out.append("...");
    if (after != Tree.NONE) {
      out.append(text);
      operand(after);
    }
    out.append(')');
    packs.index = outer;
  }

  private void trinary(int node) {
    int operator = tree.a(node);
    int x = tree.b(node);
    int y = tree.a(tree.c(node));
    int z = tree.b(tree.c(node));
    switch (Operators.first(operator)) {
      case 'q' -> {
        operand(x);
        out.append('?');
        operand(y);
        out.append(" : ");
        operand(z);
      }
      case 'f' -> fold(y, x, z);
      case 'd' -> {
        out.append('[');
        printer.print(x);
        out.append(" ... ");
        printer.print(y);
        out.append(']');
        designated(z);
      }
      default -> {
        out.append("new ");
        if (x != Tree.NONE) {
          inParentheses(x);
          out.append(' ');
        }
        printer.print(y);
        if (z != Tree.NONE) {
          printer.print(z);
        }
      }
    }
  }

  private void literal(int node, boolean negative) {
    int type = tree.a(node);
    int start = tree.b(node);
    int end = tree.c(node);
    if (tree.kind(type) == Kind.BUILTIN) {
      int builtin = tree.a(type);
      String suffix = Builtins.literalSuffix(builtin);
      if (suffix != null) {
        digits(start, end, negative);
        out.append(suffix);
        return;
      }
      char c = end - start == 1 ? printer.p.text.charAt(start) : 0;
      if (Builtins.isBool(builtin) && !negative && (c == '0' || c == '1')) {
        out.append(c == '1' ? "true" : "false");
        return;
      }
    }
    out.append('(');
    printer.print(type);
    out.append(')');
    boolean bits = tree.kind(type) == Kind.BUILTIN && Builtins.isFloating(tree.a(type));
    if (bits) {
      out.append('[');
    }
    digits(start, end, negative);
    if (bits) {
      out.append(']');
    }
  }

  private void digits(int start, int end, boolean negative) {
    if (negative) {
      out.append('-');
    }
    out.append(printer.p.text, start, end);
  }

  private void expansion(int pattern) {
    int pack = packs.find(pattern);
    if (pack == Tree.NONE) {
      operand(pattern);
      out.append("...");
      return;
    }
    int outer = packs.index;
    int size = packs.size(pack);
    for (int i = 0; i < size; i++) {
      if (i > 0) {
        out.append(", ");
      }
      packs.index = i;
      printer.print(pattern);
    }
    packs.index = outer;
  }
}
