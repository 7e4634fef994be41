package dev.plumb.symbols.demangle.itanium;

/** Which fields of a node are nodes. */
final class Children {
  private Children() {}

  /** Bits: 1 for the first field, 2 for the second, 4 for the third. */
  static int of(int kind) {
    return switch (kind) {
      case Kind.NESTED,
          Kind.LOCAL,
          Kind.TYPED,
          Kind.TEMPLATE,
          Kind.LIST,
          Kind.VENDOR_QUALIFIER,
          Kind.MEMBER_POINTER,
          Kind.ARRAY,
          Kind.VECTOR,
          Kind.INITIALIZER,
          Kind.CAST,
          Kind.VENDOR_EXPRESSION,
          Kind.QUALIFIED,
          Kind.SUBOBJECT ->
          3;
      case Kind.FUNCTION -> 7;
      case Kind.PACK,
          Kind.CONST,
          Kind.VOLATILE,
          Kind.RESTRICT,
          Kind.COMPLEX,
          Kind.IMAGINARY,
          Kind.POINTER,
          Kind.REFERENCE,
          Kind.RVALUE_REFERENCE,
          Kind.CONVERSION,
          Kind.DECLTYPE,
          Kind.LITERAL,
          Kind.NEGATIVE_LITERAL,
          Kind.CONSTRAINED ->
          1;
      case Kind.UNARY, Kind.POSTFIX, Kind.SUFFIX, Kind.DEFAULT_ARGUMENT -> 2;
      case Kind.BINARY, Kind.TRINARY -> 6;
      default -> 0;
    };
  }
}
