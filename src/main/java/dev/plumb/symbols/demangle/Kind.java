package dev.plumb.symbols.demangle;

/** What a node of a {@link Tree} is; the comments say what its three fields hold. */
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

  /** A template parameter: index, scope it was first shown in as a reference, or NONE. */
  static final int PARAMETER = 9;

  /** The class's name. */
  static final int CONSTRUCTOR = 11;

  static final int DESTRUCTOR = 12;

  /** Prefix (a text), what it is about. */
  static final int SPECIAL = 13;

  /** The base's class, the class that is constructed. */
  static final int CONSTRUCTION_VTABLE = 14;

  /** Qualifiers: type. */
  static final int CONST = 15;

  static final int VOLATILE = 16;
  static final int RESTRICT = 17;

  /** Type, qualifier's name. */
  static final int VENDOR_QUALIFIER = 18;

  static final int COMPLEX = 19;
  static final int IMAGINARY = 20;
  static final int POINTER = 21;
  static final int REFERENCE = 22;
  static final int RVALUE_REFERENCE = 23;

  /** Class, type of the member. */
  static final int MEMBER_POINTER = 24;

  /** Index in {@link Builtins}. */
  static final int BUILTIN = 25;

  /** Result or NONE, list of parameters, list of what follows the parenthesis. */
  static final int FUNCTION = 26;

  /** Dimension or NONE, type. */
  static final int ARRAY = 27;

  /** Dimension, type. */
  static final int VECTOR = 28;

  /** What follows a parameter list: {@code const} and so on, a text; or with an expression. */
  static final int SUFFIX = 29;

  /** Index in {@link Operators}. */
  static final int OPERATOR = 30;

  /** A vendor's operator or a literal operator: prefix (text), name. */
  static final int NAMED_OPERATOR = 31;

  /** Type. */
  static final int CONVERSION = 32;

  /** Operator, operand. */
  static final int UNARY = 33;

  /** Operator, operand, with the operator behind. */
  static final int POSTFIX = 34;

  /** Operator, two operands as a list. */
  static final int BINARY = 35;

  /** Operator, three operands as a list. */
  static final int TRINARY = 36;

  /** Type, start, end of the digits. */
  static final int LITERAL = 37;

  static final int NEGATIVE_LITERAL = 38;

  /** Pattern. */
  static final int EXPANSION = 39;

  /** Expression. */
  static final int DECLTYPE = 40;

  /** List of parameters, number. */
  static final int LAMBDA = 41;

  /** Number. */
  static final int UNNAMED = 42;

  /** Number, entity. */
  static final int DEFAULT_ARGUMENT = 43;

  /** Number; 0 is {@code this}. */
  static final int FUNCTION_PARAMETER = 44;

  /** Name, tag. */
  static final int TAGGED = 45;

  /** Encoding, suffix. */
  static final int CLONE = 46;

  /** List of names. */
  static final int BINDING = 47;

  /** Type or NONE, list. */
  static final int INITIALIZER = 48;

  /** Name, module. */
  static final int IN_MODULE = 49;

  /** Parent or NONE, name, 1 if a partition. */
  static final int MODULE = 50;

  /** Type, expressions as a list: {@code (T)(a, b)}. */
  static final int CAST = 51;

  /** Vendor's expression: name, arguments. */
  static final int VENDOR_EXPRESSION = 52;

  /** Parameter list of a function name: name, function type, when the name's own suffix. */
  static final int QUALIFIED = 53;

  /** A vendor's type: name. */
  static final int VENDOR_TYPE = 54;

  /** Prefix (text), number, what it is about. */
  static final int NUMBERED = 55;

  /** Constraint: what, expression. */
  static final int CONSTRAINED = 56;

  private Kind() {}
}
