package dev.plumb.symbols.demangle.itanium;

/** Parses expressions (section 5.1.6 of the Itanium C++ ABI) and operators' names. */
final class Expressions {
  private final Parse p;
  private final Tree tree;

  Expressions(Parse p) {
    this.p = p;
    this.tree = p.tree;
  }

  /** The name of an operator function. */
  int operatorName() {
    char first = p.peek();
    char second = p.peekAfter();
    if (first == 'v' && Parse.isDigit(second)) {
      p.at += 2;
      return tree.add(Kind.NAMED_OPERATOR, tree.text("operator "), p.names.sourceName());
    }
    if (first == 'l' && second == 'i') {
      p.at += 2;
      return tree.add(Kind.NAMED_OPERATOR, tree.text("operator\"\" "), p.names.sourceName());
    }
    if (first == 'c' && second == 'v') {
      p.at += 2;
      int last = p.lastName;
      boolean outer = p.inConversion;
      p.inConversion = true;
      int type = p.types.type();
      p.inConversion = outer;
      p.lastName = last;
      return tree.add(Kind.CONVERSION, type);
    }
    return tree.add(Kind.OPERATOR, operator());
  }

  private int operator() {
    int operator = Operators.find(p.peek(), p.peekAfter());
    if (operator < 0) {
      throw Parse.fail();
    }
    p.at += 2;
    return operator;
  }

  int expression() {
    p.enter();
    int result = expressionInner();
    p.leave();
    return result;
  }

  private int expressionInner() {
    char c = p.peek();
    char d = p.peekAfter();
    if (c == 'L') {
      return primary();
    }
    if (c == 'T') {
      return p.types.templateParameter();
    }
    if (Parse.isDigit(c)) {
      return withArguments(p.names.unqualified(Tree.NONE, Tree.NONE));
    }
    switch (c << 8 | d) {
      case 's' << 8 | 'r':
        p.at += 2;
        return scoped();
      case 's' << 8 | 'p':
        p.at += 2;
        return tree.add(Kind.EXPANSION, expression());
      case 'f' << 8 | 'p':
        p.at += 2;
        return functionParameter();
      case 'o' << 8 | 'n':
        p.at += 2;
        return withArguments(operatorName());
      case 'd' << 8 | 'n':
        p.at += 2;
        return destructor();
      case 'i' << 8 | 'l':
        p.at += 2;
        return tree.add(Kind.INITIALIZER, Tree.NONE, list('E'));
      case 't' << 8 | 'l':
        {
          p.at += 2;
          int type = p.types.type();
          return tree.add(Kind.INITIALIZER, type, list('E'));
        }
      case 'c' << 8 | 'v':
        p.at += 2;
        return cast();
      case 's' << 8 | 'o':
        p.at += 2;
        return subobject();
      case 'm' << 8 | 'c':
        p.at += 2;
        return memberConversion();
      case 'r' << 8 | 'q', 'r' << 8 | 'Q':
        return requirements();
      default:
    }
    if (c == 'f' && d == 'L' && p.at + 2 < p.end && Parse.isDigit(p.text.charAt(p.at + 2))) {
      p.at += 2;
      p.digits();
      p.expect('p');
      return numberedParameter();
    }
    if (c == 'u') {
      p.at++;
      int name = p.names.sourceName();
      int arguments = Tree.NONE;
      while (!p.accept('E')) {
        arguments = tree.add(Kind.LIST, p.names.templateArgument(), arguments);
      }
      return tree.add(Kind.VENDOR_EXPRESSION, name, Lists.reverse(tree, arguments));
    }
    return operation(operator());
  }

  /** Part of an object, in a template argument of class type: type, object, offset, selectors. */
  private int subobject() {
    int type = p.types.type();
    int object = expression();
    int start = p.at;
    p.skipNumber();
    int offset = p.at > start ? tree.add(Kind.NAME, start, p.at) : tree.text("0");
    while (p.accept('_')) {
      p.skipNumber();
    }
    p.accept('p');
    p.expect('E');
    return tree.add(Kind.SUBOBJECT, object, type, offset);
  }

  /** A pointer to a member as one of another class: type, pointer, offset. */
  private int memberConversion() {
    int type = p.types.type();
    int pointer = expression();
    p.skipNumber();
    p.expect('E');
    return tree.add(Kind.CAST, type, tree.add(Kind.LIST, pointer, Tree.NONE), 1);
  }

  private int withArguments(int name) {
    return p.peek() == 'I' ? p.names.template(name) : name;
  }

  private int destructor() {
    int name = Parse.isDigit(p.peek()) ? p.names.sourceName() : p.types.type();
    return tree.add(Kind.DESTRUCTOR, withArguments(name));
  }

  private int scoped() {
    int type;
    if (Parse.isDigit(p.peek()) && !p.oldScopes) {
      p.sawScope = true;
      type = withArguments(p.names.sourceName());
      while (!p.accept('E')) {
        type = tree.add(Kind.NESTED, type, p.names.sourceName());
        type = withArguments(type);
      }
    } else {
      type = p.types.type();
    }
    int name = p.accept('o', 'n') ? operatorName() : baseName();
    return withArguments(tree.add(Kind.NESTED, type, name));
  }

  private int baseName() {
    return p.accept('d', 'n') ? destructor() : p.names.unqualified(Tree.NONE, Tree.NONE);
  }

  private int functionParameter() {
    if (p.accept('T')) {
      return tree.add(Kind.FUNCTION_PARAMETER, 0);
    }
    return numberedParameter();
  }

  private int numberedParameter() {
    p.types.qualifiers();
    return tree.add(Kind.FUNCTION_PARAMETER, p.compactNumber() + 1);
  }

  /** Skips the requirements of a requires-expression; like GCC, Plumb does not show them. */
  private int requirements() {
    p.at++;
    if (p.next() == 'Q') {
      p.types.parameters();
      p.expect('_');
    }
    while (!p.accept('E')) {
      switch (p.next()) {
        case 'X' -> {
          expression();
          p.accept('N');
          if (p.accept('R')) {
            p.names.name();
          }
        }
        case 'T' -> p.types.type();
        case 'Q' -> expression();
        default -> throw Parse.fail();
      }
    }
    return tree.text("requires {...}");
  }

  /** Expressions up to a letter, which is consumed. */
  private int list(char terminator) {
    int list = Tree.NONE;
    while (!p.accept(terminator)) {
      list = tree.add(Kind.LIST, expression(), list);
    }
    return Lists.reverse(tree, list);
  }

  private int cast() {
    int type = p.types.type();
    if (p.accept('_')) {
      return tree.add(Kind.CAST, type, list('E'));
    }
    return tree.add(Kind.CAST, type, tree.add(Kind.LIST, expression(), Tree.NONE), 1);
  }

  private int operation(int operator) {
    char first = Operators.first(operator);
    char second = Operators.second(operator);
    return switch (Operators.arity(operator)) {
      case 0 -> tree.text(Operators.text(operator));
      case 1 -> unary(operator, first, second);
      case 2 -> binary(operator, first, second);
      default -> trinary(operator, first);
    };
  }

  private int unary(int operator, char first, char second) {
    int operand;
    if (second == 't' && (first == 's' || first == 'a') || first == 't' && second == 'i') {
      operand = p.types.type();
    } else if (first == 's' && second == 'P') {
      int list = Tree.NONE;
      while (!p.accept('E')) {
        list = tree.add(Kind.LIST, p.names.templateArgument(), list);
      }
      operand = Lists.reverse(tree, list);
    } else if ((first == 'p' && second == 'p' || first == 'm' && second == 'm') && !p.accept('_')) {
      return tree.add(Kind.POSTFIX, operator, expression());
    } else {
      operand = expression();
    }
    return tree.add(Kind.UNARY, operator, operand);
  }

  private int binary(int operator, char first, char second) {
    int left;
    int right;
    if (second == 'c' && "cdrs".indexOf(first) >= 0) {
      left = p.types.type();
      right = expression();
    } else if (first == 'f') {
      left = tree.add(Kind.OPERATOR, operator());
      right = expression();
    } else if (first == 'c' && second == 'l') {
      left = expression();
      right = list('E');
    } else if ((first == 'd' || first == 'p') && second == 't') {
      left = expression();
      right = member();
    } else if (first == 'd' && second == 'i') {
      left = p.names.unqualified(Tree.NONE, Tree.NONE);
      right = expression();
    } else {
      left = expression();
      right = expression();
    }
    return tree.add(Kind.BINARY, operator, left, right);
  }

  private int member() {
    if (p.peek() == 's' && p.peekAfter() == 'r' || p.peek() == 'g' && p.peekAfter() == 's') {
      return expression();
    }
    return withArguments(p.accept('o', 'n') ? operatorName() : baseName());
  }

  private int trinary(int operator, char first) {
    int a;
    int b;
    int c;
    if (first == 'n') {
      a = list('_');
      b = p.types.type();
      if (p.accept('E')) {
        c = Tree.NONE;
      } else if (p.accept('p', 'i')) {
        c = tree.add(Kind.CAST, Tree.NONE, list('E'));
      } else if (p.peek() == 'i' && p.peekAfter() == 'l') {
        c = expression();
      } else {
        throw Parse.fail();
      }
    } else {
      a = first == 'f' ? tree.add(Kind.OPERATOR, operator()) : expression();
      b = expression();
      c = expression();
    }
    return tree.add(Kind.TRINARY, operator, a, tree.add(Kind.LIST, b, c));
  }

  /** Literals and names of functions and variables. */
  int primary() {
    p.expect('L');
    int result;
    if (p.accept('_', 'Z') || p.accept('Z')) {
      result = p.names.encoding(true);
    } else {
      int type = p.types.type();
      boolean negative = p.accept('n');
      int start = p.at;
      while (p.peek() != 'E') {
        if (p.next() == 0) {
          throw Parse.fail();
        }
      }
      result =
          p.at == start && !negative
              ? type
              : tree.add(negative ? Kind.NEGATIVE_LITERAL : Kind.LITERAL, type, start, p.at);
    }
    p.expect('E');
    return result;
  }
}
