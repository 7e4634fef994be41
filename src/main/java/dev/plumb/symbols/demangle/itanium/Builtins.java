package dev.plumb.symbols.demangle.itanium;

/** The builtin types of the Itanium C++ ABI (section 5.1.5.2) and how their literals are shown. */
final class Builtins {
  /** By letter, from {@code a}. */
  private static final String[] NAMES = {
    "signed char",
    "bool",
    "char",
    "double",
    "long double",
    "float",
    "__float128",
    "unsigned char",
    "int",
    "unsigned int",
    "",
    "long",
    "unsigned long",
    "__int128",
    "unsigned __int128",
    "",
    "",
    "",
    "short",
    "unsigned short",
    "",
    "void",
    "wchar_t",
    "long long",
    "unsigned long long",
    "...",
    "decimal32",
    "decimal64",
    "decimal128",
    "half",
    "char8_t",
    "char16_t",
    "char32_t",
    "decltype(nullptr)",
  };

  private static final String AFTER_D = "fdehusin";
  private static final int VOID = 'v' - 'a';
  private static final int BOOL = 'b' - 'a';

  private Builtins() {}

  /** The type of a letter, or -1. */
  static int find(char letter) {
    return letter < 'a' || letter > 'z' || NAMES[letter - 'a'].isEmpty() ? -1 : letter - 'a';
  }

  /** The type of {@code D} and a letter, or -1. */
  static int findAfterD(char letter) {
    int i = AFTER_D.indexOf(letter);
    return i < 0 ? -1 : 26 + i;
  }

  static String name(int builtin) {
    return NAMES[builtin];
  }

  static boolean isVoid(int builtin) {
    return builtin == VOID;
  }

  static boolean isBool(int builtin) {
    return builtin == BOOL;
  }

  static boolean isFloating(int builtin) {
    return builtin >= 'd' - 'a' && builtin <= 'g' - 'a';
  }

  /** What follows a literal of this type; null if the type is written before it. */
  static String literalSuffix(int builtin) {
    return switch (builtin + 'a') {
      case 'i' -> "";
      case 'j' -> "u";
      case 'l' -> "l";
      case 'm' -> "ul";
      case 'x' -> "ll";
      case 'y' -> "ull";
      default -> null;
    };
  }
}
