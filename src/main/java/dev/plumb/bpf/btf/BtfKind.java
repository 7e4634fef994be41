package dev.plumb.bpf.btf;

/** The kinds of BTF types, and how many 32-bit words each has after its three common ones. */
public final class BtfKind {
  public static final int VOID = 0;
  public static final int INT = 1;
  public static final int PTR = 2;
  public static final int ARRAY = 3;
  public static final int STRUCT = 4;
  public static final int UNION = 5;
  public static final int ENUM = 6;
  public static final int FWD = 7;
  public static final int TYPEDEF = 8;
  public static final int VOLATILE = 9;
  public static final int CONST = 10;
  public static final int RESTRICT = 11;
  public static final int FUNC = 12;
  public static final int FUNC_PROTO = 13;
  public static final int VAR = 14;
  public static final int DATASEC = 15;
  public static final int FLOAT = 16;
  public static final int DECL_TAG = 17;
  public static final int TYPE_TAG = 18;
  public static final int ENUM64 = 19;

  private static final String[] NAMES = {
    "void",
    "int",
    "pointer",
    "array",
    "struct",
    "union",
    "enum",
    "fwd",
    "typedef",
    "volatile",
    "const",
    "restrict",
    "func",
    "func_proto",
    "var",
    "datasec",
    "float",
    "decl_tag",
    "type_tag",
    "enum64"
  };

  /** Words that follow whatever vlen is, and words an entry of vlen, by kind. */
  private static final byte[] FIXED = {0, 1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0};

  private static final byte[] EACH = {0, 0, 0, 0, 3, 3, 2, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0, 0, 3};

  private BtfKind() {}

  public static String name(int kind) {
    return kind >= 0 && kind < NAMES.length ? NAMES[kind] : "kind " + kind;
  }

  static boolean isKnown(int kind) {
    return kind > VOID && kind < FIXED.length;
  }

  /** The words of a type of that kind after name, info and size. */
  static int extraWords(int kind, int vlen) {
    return FIXED[kind] + EACH[kind] * vlen;
  }

  static boolean isComposite(int kind) {
    return kind == STRUCT || kind == UNION;
  }

  static boolean isEnum(int kind) {
    return kind == ENUM || kind == ENUM64;
  }

  /** Whether types of these kinds may stand for each other in CO-RE: the same, or two enums. */
  static boolean compatible(int a, int b) {
    return a == b || isEnum(a) && isEnum(b);
  }
}
