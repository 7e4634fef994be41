package dev.plumb.symbols.demangle.itanium;

/** Demangles C++ names of the Itanium C++ ABI, including GCC's clones. */
public final class Itanium {
  private static final String CONSTRUCTORS = "_GLOBAL_";

  private Itanium() {}

  public static boolean looksMangled(String name) {
    return name.startsWith("_Z") || name.startsWith(CONSTRUCTORS);
  }

  /** Throws NotMangledException. */
  public static String demangle(String name, boolean brief) {
    if (name.startsWith(CONSTRUCTORS)) {
      return constructors(name, brief);
    }
    Parse parse = new Parse(name, 2, name.length(), false);
    try {
      return demangle(parse, brief);
    } catch (NotMangledException e) {
      if (!parse.sawScope) {
        throw e;
      }
      return demangle(new Parse(name, 2, name.length(), true), brief);
    }
  }

  private static String demangle(Parse parse, boolean brief) {
    int root = parse.names.encoding(true);
    while (parse.peek() == '.' && parse.at < parse.end) {
      root = parse.tree.add(Kind.CLONE, root, cloneSuffix(parse));
    }
    if (parse.at != parse.end) {
      throw Parse.fail();
    }
    Printer printer = new Printer(parse, brief);
    printer.print(root);
    return printer.out.toString();
  }

  /** {@code .cold}, {@code .isra.0}, {@code .llvm.123}: a word, then numbers. */
  private static int cloneSuffix(Parse p) {
    int start = p.at;
    char c = p.peekAfter();
    if (!isWord(c) && !Parse.isDigit(c)) {
      throw Parse.fail();
    }
    p.at += 2;
    while (isWord(p.peek()) || Parse.isDigit(p.peek())) {
      p.at++;
    }
    while (p.peek() == '.' && Parse.isDigit(p.peekAfter())) {
      p.at += 2;
      while (Parse.isDigit(p.peek())) {
        p.at++;
      }
    }
    return p.tree.add(Kind.NAME, start, p.at);
  }

  private static boolean isWord(char c) {
    return c >= 'a' && c <= 'z' || c == '_';
  }

  /** {@code _GLOBAL__I_name}: the code that runs before and after main. */
  private static String constructors(String name, boolean brief) {
    int n = CONSTRUCTORS.length();
    if (name.length() < n + 4
        || "._$".indexOf(name.charAt(n)) < 0
        || name.charAt(n + 2) != '_'
        || name.charAt(n + 1) != 'I' && name.charAt(n + 1) != 'D') {
      throw Parse.fail();
    }
    String of = name.substring(n + 3);
    String what = name.charAt(n + 1) == 'I' ? "constructors" : "destructors";
    return "global " + what + " keyed to " + (of.startsWith("_Z") ? demangle(of, brief) : of);
  }
}
