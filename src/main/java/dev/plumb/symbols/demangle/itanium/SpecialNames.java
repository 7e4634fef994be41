package dev.plumb.symbols.demangle.itanium;

/** Parses names of what compilers generate: virtual tables, thunks, guard variables. */
final class SpecialNames {
  private SpecialNames() {}

  static int read(Parse p) {
    return p.next() == 'T' ? ofTypes(p) : ofVariables(p);
  }

  private static int special(Parse p, String prefix, int node) {
    return p.tree.add(Kind.SPECIAL, p.tree.text(prefix), node);
  }

  private static int ofTypes(Parse p) {
    char c = p.next();
    switch (c) {
      case 'V':
        return special(p, "vtable for ", p.types.type());
      case 'T':
        return special(p, "VTT for ", p.types.type());
      case 'I':
        return special(p, "typeinfo for ", p.types.type());
      case 'S':
        return special(p, "typeinfo name for ", p.types.type());
      case 'F':
        return special(p, "typeinfo fn for ", p.types.type());
      case 'J':
        return special(p, "java Class for ", p.types.type());
      case 'h':
        offset(p, 'h');
        return special(p, "non-virtual thunk to ", p.names.encoding(false));
      case 'v':
        offset(p, 'v');
        return special(p, "virtual thunk to ", p.names.encoding(false));
      case 'c':
        offset(p, p.next());
        offset(p, p.next());
        return special(p, "covariant return thunk to ", p.names.encoding(false));
      case 'C':
        {
          int derived = p.types.type();
          p.skipNumber();
          p.expect('_');
          return p.tree.add(Kind.CONSTRUCTION_VTABLE, p.types.type(), derived);
        }
      case 'H':
        return special(p, "TLS init function for ", p.names.name());
      case 'W':
        return special(p, "TLS wrapper function for ", p.names.name());
      case 'A':
        return special(p, "template parameter object for ", p.names.templateArgument());
      default:
        throw Parse.fail();
    }
  }

  private static void offset(Parse p, char kind) {
    if (kind != 'h' && kind != 'v') {
      throw Parse.fail();
    }
    p.skipNumber();
    p.expect('_');
    if (kind == 'v') {
      p.skipNumber();
      p.expect('_');
    }
  }

  private static int ofVariables(Parse p) {
    switch (p.next()) {
      case 'V':
        return special(p, "guard variable for ", p.names.name());
      case 'R':
        {
          int name = p.names.name();
          int number = p.at == p.end ? 0 : p.compactNumber();
          return p.tree.add(Kind.NUMBERED, p.tree.text("reference temporary #"), number, name);
        }
      case 'A':
        return special(p, "hidden alias for ", p.names.encoding(false));
      case 'I':
        {
          int module = Modules.read(p, Tree.NONE);
          if (module == Tree.NONE) {
            throw Parse.fail();
          }
          return special(p, "initializer for module ", module);
        }
      case 'T':
        return special(
            p,
            p.next() == 'n' ? "non-transaction clone for " : "transaction clone for ",
            p.names.encoding(false));
      default:
        throw Parse.fail();
    }
  }
}
