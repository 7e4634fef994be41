package dev.plumb.symbols.demangle.itanium;

/** Parses names of C++20 modules. */
final class Modules {
  private Modules() {}

  /** Any number of {@code W} parts after {@code module}; NONE if there are none. */
  static int read(Parse p, int module) {
    int result = module;
    while (p.accept('W')) {
      int partition = p.accept('P') ? 1 : 0;
      int last = p.lastName;
      int name = p.names.sourceName();
      p.lastName = last;
      result = p.addSubstitution(p.tree.add(Kind.MODULE, result, name, partition));
    }
    return result;
  }
}
