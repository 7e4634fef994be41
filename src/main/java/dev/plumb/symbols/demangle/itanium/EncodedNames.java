package dev.plumb.symbols.demangle.itanium;

/** Parses encodings and names (sections 5.1.1 to 5.1.4 of the Itanium C++ ABI). */
final class EncodedNames {
  private final Parse p;
  private final Tree tree;

  /** What follows the parameters of the member function whose name was read last. */
  private int suffixes = Tree.NONE;

  /** Whether its first parameter is the object, as {@code this} in front of it says (C++23). */
  private boolean explicitObject;

  EncodedNames(Parse p) {
    this.p = p;
    this.tree = p.tree;
  }

  /** A function with its parameters, a variable, or a special name. */
  int encoding(boolean top) {
    p.enter();
    char c = p.peek();
    int result;
    if (c == 'G' || c == 'T') {
      result = SpecialNames.read(p);
    } else {
      suffixes = Tree.NONE;
      explicitObject = false;
      int name = name();
      int nameSuffixes = suffixes;
      boolean object = explicitObject;
      skipEnableIf();
      if (atEndOfEncoding()) {
        result = withSuffixes(name, nameSuffixes);
      } else {
        int type = p.types.bareFunction(hasResult(name));
        tree.setC(type, nameSuffixes);
        int parameters = tree.b(type);
        if (object && parameters != Tree.NONE) {
          int first = tree.add(Kind.SPECIAL, tree.text("this "), tree.a(parameters));
          tree.setB(type, tree.add(Kind.LIST, first, tree.b(parameters)));
        }
        if (!top) {
          tree.setA(type, Tree.NONE);
        }
        result = tree.add(Kind.TYPED, name, type);
      }
    }
    p.leave();
    return result;
  }

  /** Skips the conditions of clang's enable_if attribute, which are not shown. */
  private void skipEnableIf() {
    if (p.text.startsWith("Ua9enable_if", p.at)) {
      p.at += "Ua9enable_if".length();
      templateArguments();
    }
  }

  private int withSuffixes(int name, int nameSuffixes) {
    return nameSuffixes == Tree.NONE ? name : tree.add(Kind.QUALIFIED, name, nameSuffixes);
  }

  private boolean atEndOfEncoding() {
    char c = p.peek();
    return c == 0 || c == 'E' || c == '.';
  }

  /** Templates encode their result type, except where it is clear: constructors, conversions. */
  private boolean hasResult(int name) {
    int n = name;
    while (true) {
      switch (tree.kind(n)) {
        case Kind.LOCAL, Kind.DEFAULT_ARGUMENT -> n = tree.b(n);
        case Kind.TEMPLATE -> {
          return !isSpecialMember(tree.a(n));
        }
        default -> {
          return false;
        }
      }
    }
  }

  private boolean isSpecialMember(int name) {
    int n = name;
    while (true) {
      switch (tree.kind(n)) {
        case Kind.LOCAL, Kind.NESTED -> n = tree.b(n);
        case Kind.TAGGED, Kind.IN_MODULE -> n = tree.a(n);
        case Kind.CONSTRUCTOR, Kind.DESTRUCTOR, Kind.CONVERSION -> {
          return true;
        }
        default -> {
          return false;
        }
      }
    }
  }

  int name() {
    p.enter();
    int result = nameInner();
    p.leave();
    return result;
  }

  private int nameInner() {
    switch (p.peek()) {
      case 'N':
        return nested();
      case 'Z':
        return local();
      case 'S':
        if (p.peekAfter() != 't') {
          int substitution = Substitutions.read(p);
          return p.peek() == 'I' ? template(substitution) : moduleMember(substitution);
        }
        return unscoped();
      default:
        return unscoped();
    }
  }

  /** After a module's substitution comes what is in it. */
  private int moduleMember(int substitution) {
    return tree.kind(substitution) == Kind.MODULE
        ? templateOrNot(unqualified(Tree.NONE, substitution))
        : substitution;
  }

  private int unscoped() {
    int scopeName = Tree.NONE;
    if (p.accept('S', 't')) {
      scopeName = tree.text("std");
    }
    return templateOrNot(unqualified(scopeName, Tree.NONE));
  }

  private int templateOrNot(int name) {
    return p.peek() == 'I' ? template(p.addSubstitution(name)) : name;
  }

  int template(int name) {
    return tree.add(Kind.TEMPLATE, name, templateArguments());
  }

  private int nested() {
    p.expect('N');
    boolean object = p.accept('H');
    int qualifiers = p.types.qualifiers();
    int found = p.types.withReference(qualifiers);
    int name = prefix();
    p.expect('E');
    suffixes = found;
    explicitObject = object;
    return name;
  }

  /** The parts of a nested name; each but the last can be referred to later. */
  private int prefix() {
    int name = Tree.NONE;
    while (true) {
      char c = p.peek();
      boolean substitutable = true;
      if (c == 'E' && name != Tree.NONE) {
        return name;
      }
      if (c == 'S' && p.peekAfter() == 't' && name == Tree.NONE) {
        p.at += 2;
        name = tree.text("std");
        substitutable = false;
      } else if (c == 'S' && name == Tree.NONE) {
        name = Substitutions.read(p);
        substitutable = tree.kind(name) == Kind.MODULE;
        name = substitutable ? unqualified(Tree.NONE, name) : name;
      } else if (c == 'S') {
        int module = Substitutions.read(p);
        name = unqualified(name, module);
      } else if (c == 'I') {
        if (name == Tree.NONE || tree.kind(name) == Kind.TEMPLATE) {
          throw Parse.fail();
        }
        name = template(name);
      } else if (c == 'T' && name == Tree.NONE) {
        name = p.types.templateParameter();
      } else if (c == 'D' && name == Tree.NONE && (p.peekAfter() == 'T' || p.peekAfter() == 't')) {
        name = p.types.type();
        substitutable = false;
      } else if (c == 'M' && name != Tree.NONE) {
        // A variable's initializer is the scope of a lambda in it.
        p.at++;
        substitutable = false;
      } else {
        name = withConversionArguments(unqualified(name, Tree.NONE));
      }
      if (substitutable && p.peek() != 'E') {
        p.addSubstitution(name);
      }
    }
  }

  /** The arguments of a conversion template were read with the type it converts to. */
  private int withConversionArguments(int name) {
    int arguments = p.takeConversionArguments(name);
    return arguments == Tree.NONE ? name : tree.add(Kind.TEMPLATE, name, arguments);
  }

  /** One part of a name, in {@code scopeName} if that is not NONE. */
  int unqualified(int scopeName, int module) {
    p.enter();
    int in = Modules.read(p, module);
    p.accept('F');
    char c = p.peek();
    int name;
    if (Parse.isDigit(c)) {
      name = sourceName();
    } else if (c == 'L') {
      p.at++;
      name = sourceName();
      discriminator();
    } else if (c == 'C' || c == 'D' && p.peekAfter() != 'C') {
      name = constructor();
    } else if (c == 'D') {
      p.at += 2;
      int list = Tree.NONE;
      while (!p.accept('E')) {
        list = tree.add(Kind.LIST, sourceName(), list);
      }
      name = tree.add(Kind.BINDING, Lists.reverse(tree, list));
    } else if (c == 'U') {
      name = unnamed();
    } else {
      name = p.expressions.operatorName();
    }
    if (in != Tree.NONE) {
      name = tree.add(Kind.IN_MODULE, name, in);
    }
    while (p.accept('B')) {
      int last = p.lastName;
      name = tree.add(Kind.TAGGED, name, sourceName());
      p.lastName = last;
    }
    p.leave();
    return scopeName == Tree.NONE ? name : tree.add(Kind.NESTED, scopeName, name);
  }

  int sourceName() {
    int length = p.digits();
    if (length <= 0 || length > p.end - p.at) {
      throw Parse.fail();
    }
    int start = p.at;
    p.at += length;
    boolean anonymous =
        length >= 10
            && p.text.startsWith("_GLOBAL_", start)
            && "._$".indexOf(p.text.charAt(start + 8)) >= 0
            && p.text.charAt(start + 9) == 'N';
    int name =
        anonymous ? tree.text("(anonymous namespace)") : tree.add(Kind.NAME, start, start + length);
    p.lastName = name;
    return name;
  }

  private int constructor() {
    if (p.lastName == Tree.NONE) {
      throw Parse.fail();
    }
    boolean destructor = p.next() == 'D';
    boolean inherited = !destructor && p.accept('I');
    char variant = p.next();
    if (destructor ? "01245".indexOf(variant) < 0 : "12345".indexOf(variant) < 0) {
      throw Parse.fail();
    }
    if (inherited) {
      p.types.type();
    }
    return tree.add(destructor ? Kind.DESTRUCTOR : Kind.CONSTRUCTOR, p.lastName);
  }

  private int unnamed() {
    p.expect('U');
    if (p.accept('t')) {
      return tree.add(Kind.UNNAMED, p.compactNumber() + 1);
    }
    p.expect('l');
    int declared = p.types.declarations();
    if (p.accept('Q')) {
      p.expressions.expression();
    }
    int parameters = p.types.parameters();
    if (p.accept('Q')) {
      p.expressions.expression();
    }
    p.expect('E');
    return tree.add(Kind.LAMBDA, parameters, p.compactNumber() + 1, declared);
  }

  private int local() {
    p.expect('Z');
    int function = encoding(false);
    p.expect('E');
    if (p.accept('s')) {
      discriminator();
      return tree.add(Kind.LOCAL, function, tree.text("string literal"));
    }
    suffixes = Tree.NONE;
    explicitObject = false;
    int number = p.accept('d') ? p.compactNumber() + 1 : 0;
    int entity = name();
    if (tree.kind(entity) != Kind.LAMBDA && tree.kind(entity) != Kind.UNNAMED) {
      discriminator();
    }
    if (number > 0) {
      entity = tree.add(Kind.DEFAULT_ARGUMENT, number, entity);
    }
    return tree.add(Kind.LOCAL, function, entity);
  }

  /** Skips the number that distinguishes entities with the same name; it is not shown. */
  private void discriminator() {
    if (p.peek() != '_' || !Parse.isDigit(p.peekAfter()) && p.peekAfter() != '_') {
      return;
    }
    p.at++;
    boolean longForm = p.accept('_');
    int start = p.at;
    p.digits();
    if (p.at == start) {
      throw Parse.fail();
    }
    if (longForm && !p.accept('_') && p.at - start > 1) {
      throw Parse.fail();
    }
  }

  int templateArguments() {
    p.enter();
    if (!p.accept('I') && !p.accept('J')) {
      throw Parse.fail();
    }
    int last = p.lastName;
    boolean conversion = p.inConversion;
    p.inConversion = false;
    int list = Tree.NONE;
    while (!p.accept('E')) {
      if (p.accept('Q')) {
        p.expressions.expression();
        p.expect('E');
        break;
      }
      list = tree.add(Kind.LIST, templateArgument(), list);
    }
    p.inConversion = conversion;
    p.lastName = last;
    p.leave();
    return list == Tree.NONE
        ? tree.add(Kind.LIST, Tree.NONE, Tree.NONE)
        : Lists.reverse(tree, list);
  }

  int templateArgument() {
    switch (p.peek()) {
      case 'X' -> {
        p.at++;
        int expression = p.expressions.expression();
        p.expect('E');
        return expression;
      }
      case 'L' -> {
        return p.expressions.primary();
      }
      case 'I', 'J' -> {
        return tree.add(Kind.PACK, templateArguments());
      }
      case 'T' -> {
        boolean declared = p.types.declaration() != Tree.NONE;
        return declared ? templateArgument() : p.types.type();
      }
      default -> {
        return p.types.type();
      }
    }
  }
}
