package dev.plumb.symbols.demangle.itanium;

/** The kinds of nodes in a {@link Tree}; the comments say what a node's three fields are. */
final class Kind {
  /** Text of the input: start, end. */
  static final int NAME = 1;

  /** A fixed text: index in the tree's texts. */
  static final int TEXT = 2;

  /** {@code a::b}. */
  static final int NESTED = 3;

  /** Something in a function: encoding, entity. */
  static final int LOCAL = 4;

  /** A function: name, function type. */
  static final int TYPED = 5;

  /** A template's name, its arguments (a list). */
  static final int TEMPLATE = 6;

  /** A list: element or NONE, rest or NONE. */
  static final int LIST = 7;

  /** Arguments for one parameter pack: a list. */
  static final int PACK = 8;

  /**
   * A template parameter: index, scope it was first shown in as a reference, or NONE, whether it is
   * being written.
   */
  static final int PARAMETER = 9;

  /** The class's name. */
  static final int CONSTRUCTOR = 10;

  static final int DESTRUCTOR = 11;

  /** Prefix (a text), what it is about. */
  static final int SPECIAL = 12;

  /** The base's class, the class that is constructed. */
  static final int CONSTRUCTION_VTABLE = 13;

  /** Qualifiers: type. */
  static final int CONST = 14;

  static final int VOLATILE = 15;
  static final int RESTRICT = 16;

  /** Type, qualifier's name. */
  static final int VENDOR_QUALIFIER = 17;

  static final int COMPLEX = 18;
  static final int IMAGINARY = 19;
  static final int POINTER = 20;

  /** Type, nothing, whether it is being written. */
  static final int REFERENCE = 21;

  static final int RVALUE_REFERENCE = 22;

  /** Class, type of the member. */
  static final int MEMBER_POINTER = 23;

  /** Index in {@link Builtins}. */
  static final int BUILTIN = 24;

  /** Result or NONE, list of parameters, list of what follows the parenthesis. */
  static final int FUNCTION = 25;

  /** Dimension or NONE, type. */
  static final int ARRAY = 26;

  /** Dimension, type. */
  static final int VECTOR = 27;

  /** What follows a parameter list and has a list of its own: text, list. */
  static final int SUFFIX = 28;

  /** Index in {@link Operators}. */
  static final int OPERATOR = 29;

  /** A vendor's operator or a literal operator: prefix (text), name. */
  static final int NAMED_OPERATOR = 30;

  /** Type. */
  static final int CONVERSION = 31;

  /** Operator, operand. */
  static final int UNARY = 32;

  /** Operator, operand, with the operator behind. */
  static final int POSTFIX = 33;

  /** Operator, two operands. */
  static final int BINARY = 34;

  /** Operator, the first operand, a list node whose fields are the other two. */
  static final int TRINARY = 35;

  /** Type, start, end of the digits. */
  static final int LITERAL = 36;

  static final int NEGATIVE_LITERAL = 37;

  /** Pattern. */
  static final int EXPANSION = 38;

  /** Expression. */
  static final int DECLTYPE = 39;

  /** List of parameters, number, list of declared template parameters. */
  static final int LAMBDA = 40;

  /** Number. */
  static final int UNNAMED = 41;

  /** Number, entity. */
  static final int DEFAULT_ARGUMENT = 42;

  /** Number; 0 is {@code this}. */
  static final int FUNCTION_PARAMETER = 43;

  /** Name, tag. */
  static final int TAGGED = 44;

  /** Encoding, suffix. */
  static final int CLONE = 45;

  /** List of names. */
  static final int BINDING = 46;

  /** Type or NONE, list. */
  static final int INITIALIZER = 47;

  /** Name, module. */
  static final int IN_MODULE = 48;

  /** Parent or NONE, name, 1 if a partition. */
  static final int MODULE = 49;

  /** Type, expressions as a list: {@code (T)(a, b)}. */
  static final int CAST = 50;

  /** Vendor's expression: name, arguments. */
  static final int VENDOR_EXPRESSION = 51;

  /** A variable whose name has qualifiers: name, list of what follows it. */
  static final int QUALIFIED = 52;

  /** A vendor's type: name. */
  static final int VENDOR_TYPE = 53;

  /** Prefix (text), number, what it is about. */
  static final int NUMBERED = 54;

  /** {@code auto} that a concept constrains: concept, text. */
  static final int CONSTRAINED = 55;

  /**
   * A template parameter's declaration: its letter, and a type, a declaration or a list of such.
   */
  static final int DECLARATION = 56;

  /** Part of an object: the object, the part's type, its offset. */
  static final int SUBOBJECT = 57;

  private Kind() {}
}
