package dev.plumb.symbols.demangle.itanium;

/** Parses types (section 5.1.5 of the Itanium C++ ABI). */
final class Types {
  private final Parse p;
  private final Tree tree;

  Types(Parse p) {
    this.p = p;
    this.tree = p.tree;
  }

  int type() {
    p.enter();
    int result = typeInner();
    p.leave();
    return result;
  }

  private int typeInner() {
    char c = p.peek();
    int builtin = Builtins.find(c);
    if (builtin >= 0 && c != 'r' && c != 'u') {
      p.at++;
      return tree.add(Kind.BUILTIN, builtin);
    }
    switch (c) {
      case 'r', 'V', 'K':
        return p.addSubstitution(qualified());
      case 'P':
        return modified(Kind.POINTER);
      case 'R':
        return modified(Kind.REFERENCE);
      case 'O':
        return modified(Kind.RVALUE_REFERENCE);
      case 'C':
        return modified(Kind.COMPLEX);
      case 'G':
        return modified(Kind.IMAGINARY);
      case 'S':
        return substitution();
      case 'T':
        return parameterType();
      case 'F':
        return p.addSubstitution(function(Tree.NONE));
      case 'A':
        return p.addSubstitution(array());
      case 'M':
        return p.addSubstitution(memberPointer());
      case 'U':
        return vendorQualified();
      case 'u':
        return vendorType();
      case 'D':
        return extended();
      default:
        return p.addSubstitution(p.names.name());
    }
  }

  private int modified(int kind) {
    p.at++;
    return p.addSubstitution(tree.add(kind, type()));
  }

  private int substitution() {
    if (p.peekAfter() == 't') {
      return p.addSubstitution(p.names.name());
    }
    int found = Substitutions.read(p);
    if (tree.kind(found) == Kind.MODULE) {
      return p.addSubstitution(p.names.unqualified(Tree.NONE, found));
    }
    return p.peek() == 'I' ? p.addSubstitution(p.names.template(found)) : found;
  }

  private int parameterType() {
    char kind = p.peekAfter();
    if (kind == 's' || kind == 'u' || kind == 'e') {
      p.at += 2;
      return p.addSubstitution(p.names.name());
    }
    int parameter = p.addSubstitution(templateParameter());
    if (p.peek() != 'I') {
      return parameter;
    }
    if (!p.inConversion) {
      return p.addSubstitution(p.names.template(parameter));
    }
    // What follows shows whether these arguments are the parameter's or the conversion's.
    int slot = p.reserveSubstitution();
    int arguments = p.names.templateArguments();
    if (p.peek() == 'I') {
      int template = tree.add(Kind.TEMPLATE, parameter, arguments);
      p.setSubstitution(slot, template);
      return template;
    }
    p.keepConversionArguments(slot, arguments);
    return parameter;
  }

  int templateParameter() {
    p.expect('T');
    if (p.accept('L')) {
      p.digits();
      p.expect('_');
    }
    int index = p.compactNumber();
    return tree.add(Kind.PARAMETER, index);
  }

  /** What kind of parameter an argument is for, where that is not clear; NONE if it is. */
  int declaration() {
    if (p.peek() != 'T' || "yntpk".indexOf(p.peekAfter()) < 0) {
      return Tree.NONE;
    }
    p.enter();
    p.at++;
    char kind = p.next();
    int of = Tree.NONE;
    switch (kind) {
      case 'n' -> of = type();
      case 'p' -> of = declaration();
      case 'k' -> p.names.name();
      case 't' -> {
        of = declarations();
        if (p.accept('Q')) {
          p.expressions.expression();
        }
        p.expect('E');
      }
      default -> {}
    }
    p.leave();
    if (kind == 'p' && of == Tree.NONE) {
      throw Parse.fail();
    }
    return tree.add(Kind.DECLARATION, kind == 'k' ? 'y' : kind, of);
  }

  int declarations() {
    int list = Tree.NONE;
    for (int one = declaration(); one != Tree.NONE; one = declaration()) {
      list = tree.add(Kind.LIST, one, list);
    }
    return Lists.reverse(tree, list);
  }

  /**
   * Qualifiers in the order they are shown, the one next to the type first: a list of texts that
   * carry the kind of node they become on anything but a function.
   */
  int qualifiers() {
    int list = Tree.NONE;
    while (true) {
      int one;
      if (p.accept('r')) {
        one = qualifier(" restrict", Kind.RESTRICT);
      } else if (p.accept('V')) {
        one = qualifier(" volatile", Kind.VOLATILE);
      } else if (p.accept('K')) {
        one = qualifier(" const", Kind.CONST);
      } else if (p.accept('D', 'x')) {
        one = qualifier(" transaction_safe", 0);
      } else if (p.accept('D', 'o')) {
        one = qualifier(" noexcept", 0);
      } else if (p.accept('D', 'O')) {
        int expression = p.expressions.expression();
        p.expect('E');
        one = tree.add(Kind.SUFFIX, tree.text(" noexcept"), listOf(expression));
      } else if (p.accept('D', 'w')) {
        one = tree.add(Kind.SUFFIX, tree.text(" throw"), parameters());
        p.expect('E');
      } else {
        return list;
      }
      list = tree.add(Kind.LIST, one, list);
    }
  }

  private int qualifier(String text, int kind) {
    int node = tree.text(text);
    tree.setB(node, kind);
    return node;
  }

  private int listOf(int element) {
    return tree.add(Kind.LIST, element, Tree.NONE);
  }

  /** Adds the reference qualifier of a member function if there is one. */
  int withReference(int list) {
    int reference;
    if (p.accept('R')) {
      reference = listOf(tree.text(" &"));
    } else if (p.accept('O')) {
      reference = listOf(tree.text(" &&"));
    } else {
      return list;
    }
    if (list == Tree.NONE) {
      return reference;
    }
    int last = list;
    while (tree.b(last) != Tree.NONE) {
      last = tree.b(last);
    }
    tree.setB(last, reference);
    return list;
  }

  private int qualified() {
    int list = qualifiers();
    if (p.peek() == 'F') {
      return function(list);
    }
    int result = type();
    for (int at = list; at != Tree.NONE; at = tree.b(at)) {
      int text = tree.a(at);
      if (tree.kind(text) != Kind.TEXT || tree.b(text) <= 0) {
        throw Parse.fail();
      }
      result = tree.add(tree.b(text), result);
    }
    return result;
  }

  private int function(int qualifiers) {
    p.expect('F');
    p.accept('Y');
    int type = bareFunction(true);
    tree.setC(type, withReference(qualifiers));
    p.expect('E');
    return type;
  }

  int bareFunction(boolean hasResult) {
    boolean result = p.accept('J') || hasResult;
    int resultType = result ? type() : Tree.NONE;
    int parameters = parameters();
    if (p.accept('Q')) {
      p.expressions.expression();
    }
    return tree.add(Kind.FUNCTION, resultType, parameters);
  }

  /** Types up to the end of a list; a lone {@code void} is none. */
  int parameters() {
    int list = Tree.NONE;
    int count = 0;
    while (true) {
      char c = p.peek();
      if (c == 0 || c == 'E' || c == '.' || c == '_' || c == 'Q' && count > 0) {
        break;
      }
      if ((c == 'R' || c == 'O') && p.peekAfter() == 'E') {
        break;
      }
      list = tree.add(Kind.LIST, type(), list);
      count++;
    }
    if (count == 0) {
      throw Parse.fail();
    }
    int first = tree.a(list);
    if (count == 1 && tree.kind(first) == Kind.BUILTIN && Builtins.isVoid(tree.a(first))) {
      return Tree.NONE;
    }
    return Lists.reverse(tree, list);
  }

  private int array() {
    p.expect('A');
    int dimension = Tree.NONE;
    if (Parse.isDigit(p.peek())) {
      int start = p.at;
      while (Parse.isDigit(p.peek())) {
        p.at++;
      }
      dimension = tree.add(Kind.NAME, start, p.at);
    } else if (p.peek() != '_') {
      dimension = p.expressions.expression();
    }
    p.expect('_');
    return tree.add(Kind.ARRAY, dimension, type());
  }

  private int memberPointer() {
    p.expect('M');
    int owner = type();
    return tree.add(Kind.MEMBER_POINTER, owner, type());
  }

  private int vendorQualified() {
    if (p.peekAfter() == 'l' || p.peekAfter() == 't') {
      return p.addSubstitution(p.names.name());
    }
    p.at++;
    int name = p.names.sourceName();
    if (p.peek() == 'I') {
      name = p.names.template(name);
    }
    return p.addSubstitution(tree.add(Kind.VENDOR_QUALIFIER, type(), name));
  }

  private int vendorType() {
    p.at++;
    int name = tree.add(Kind.VENDOR_TYPE, p.names.sourceName());
    return p.addSubstitution(p.peek() == 'I' ? p.names.template(name) : name);
  }

  /** The types that begin with {@code D}. */
  private int extended() {
    char c = p.peekAfter();
    int builtin = Builtins.findAfterD(c);
    if (builtin >= 0) {
      p.at += 2;
      return tree.add(Kind.BUILTIN, builtin);
    }
    switch (c) {
      case 'o', 'O', 'w', 'x':
        return p.addSubstitution(qualified());
      case 'T', 't':
        {
          p.at += 2;
          int expression = p.expressions.expression();
          p.expect('E');
          return p.addSubstitution(tree.add(Kind.DECLTYPE, expression));
        }
      case 'p':
        p.at += 2;
        return p.addSubstitution(tree.add(Kind.EXPANSION, type()));
      case 'a':
        p.at += 2;
        return tree.text("auto");
      case 'c':
        p.at += 2;
        return tree.text("decltype(auto)");
      case 'k', 'K':
        p.at += 2;
        return p.addSubstitution(
            tree.add(
                Kind.CONSTRAINED,
                p.names.name(),
                tree.text(c == 'k' ? " auto" : " decltype(auto)")));
      case 'v':
        p.at += 2;
        return p.addSubstitution(vector());
      case 'F', 'B', 'U':
        p.at += 2;
        return sizedNumber(c);
      default:
        throw Parse.fail();
    }
  }

  private int vector() {
    int dimension;
    if (p.accept('_')) {
      dimension = p.expressions.expression();
    } else {
      int start = p.at;
      p.digits();
      dimension = tree.add(Kind.NAME, start, p.at);
    }
    p.expect('_');
    return tree.add(Kind.VECTOR, dimension, type());
  }

  /** {@code _Float32x}, {@code _BitInt(7)} and the like. */
  private int sizedNumber(char kind) {
    int bits = p.digits();
    if (kind != 'F') {
      p.expect('_');
      return p.addSubstitution(
          tree.text((kind == 'U' ? "unsigned " : "") + "_BitInt(" + bits + ")"));
    }
    if (p.accept('b')) {
      return tree.text("std::bfloat" + bits + "_t");
    }
    if (p.accept('x')) {
      return tree.text("_Float" + bits + "x");
    }
    p.expect('_');
    return tree.text("_Float" + bits);
  }
}
