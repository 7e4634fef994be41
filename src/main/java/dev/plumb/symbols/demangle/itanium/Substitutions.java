package dev.plumb.symbols.demangle.itanium;

/** Parses references to earlier parts of the name, and abbreviations of the standard library. */
final class Substitutions {
  private static final String CHAR_TRAITS = "<char, std::char_traits<char>";

  private Substitutions() {}

  /** Reads {@code S…}. */
  static int read(Parse p) {
    p.expect('S');
    char c = p.peek();
    if (c == '_' || Parse.isDigit(c) || c >= 'A' && c <= 'Z') {
      int found = p.substitution(number(p));
      p.lastName = lastName(p.tree, found, p.lastName);
      return found;
    }
    p.at++;
    Tree tree = p.tree;
    int name = tree.text(full(c));
    if (c != 't') {
      p.lastName = tree.text(constructorName(c));
      tree.setB(name, p.lastName);
    }
    int tagged = name;
    while (p.accept('B')) {
      int last = p.lastName;
      tagged = tree.add(Kind.TAGGED, tagged, p.names.sourceName());
      p.lastName = last;
    }
    return tagged == name ? name : p.addSubstitution(tagged);
  }

  /** The name of its constructor. */
  private static int lastName(Tree tree, int node, int otherwise) {
    int n = node;
    while (true) {
      switch (tree.kind(n)) {
        case Kind.NESTED, Kind.LOCAL -> n = tree.b(n);
        case Kind.TEMPLATE, Kind.TAGGED, Kind.IN_MODULE -> n = tree.a(n);
        case Kind.NAME -> {
          return n;
        }
        case Kind.TEXT -> {
          return tree.b(n) > 0 ? tree.b(n) : otherwise;
        }
        default -> {
          return otherwise;
        }
      }
    }
  }

  /** A number in base 36; {@code S_} is 0. */
  private static int number(Parse p) {
    if (p.accept('_')) {
      return 0;
    }
    int value = 0;
    while (!p.accept('_')) {
      char c = p.next();
      int digit = Parse.isDigit(c) ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
      if (digit < 0 || value > 0xff_ffff) {
        throw Parse.fail();
      }
      value = value * 36 + digit;
    }
    return value + 1;
  }

  private static String full(char c) {
    return switch (c) {
      case 't' -> "std";
      case 'a' -> "std::allocator";
      case 'b' -> "std::basic_string";
      case 's' -> "std::basic_string" + CHAR_TRAITS + ", std::allocator<char> >";
      case 'i' -> "std::basic_istream" + CHAR_TRAITS + " >";
      case 'o' -> "std::basic_ostream" + CHAR_TRAITS + " >";
      case 'd' -> "std::basic_iostream" + CHAR_TRAITS + " >";
      default -> throw Parse.fail();
    };
  }

  private static String constructorName(char c) {
    return switch (c) {
      case 'a' -> "allocator";
      case 'b', 's' -> "basic_string";
      case 'i' -> "basic_istream";
      case 'o' -> "basic_ostream";
      default -> "basic_iostream";
    };
  }
}
