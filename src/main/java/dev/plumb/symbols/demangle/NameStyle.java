package dev.plumb.symbols.demangle;

import java.util.function.UnaryOperator;

/** How the name of a function is shown. */
public enum NameStyle implements UnaryOperator<String> {
  /** All of it, as c++filt and rustfilt print it. */
  FULL,

  /** Without parameters, template arguments, result and hash. */
  SHORT,

  /** As it stands in the file. */
  RAW;

  @Override
  public String apply(String mangled) {
    return Demangler.demangle(mangled, this);
  }
}
