package dev.plumb.symbols.demangle.itanium;

/** The operators of the Itanium C++ ABI by their two letters (section 5.1.3.5). */
final class Operators {
  /** Two letters, number of operands, text; a blank at the end belongs to the text. */
  private static final String[] TABLE = {
    "aN2&=",
    "aS2=",
    "aa2&&",
    "ad1&",
    "an2&",
    "at1alignof ",
    "aw1co_await ",
    "az1alignof ",
    "cc2const_cast",
    "cl2()",
    "cm2,",
    "co1~",
    "dV2/=",
    "dX3[...]=",
    "da1delete[] ",
    "dc2dynamic_cast",
    "de1*",
    "di2=",
    "dl1delete ",
    "ds2.*",
    "dt2.",
    "dv2/",
    "dx2]=",
    "eO2^=",
    "eo2^",
    "eq2==",
    "fL3...",
    "fR3...",
    "fl2...",
    "fr2...",
    "ge2>=",
    "gs1::",
    "gt2>",
    "ix2[]",
    "lS2<<=",
    "le2<=",
    "ls2<<",
    "lt2<",
    "mI2-=",
    "mL2*=",
    "mi2-",
    "ml2*",
    "mm1--",
    "na3new[]",
    "ne2!=",
    "ng1-",
    "nt1!",
    "nw3new",
    "nx1noexcept",
    "oR2|=",
    "oo2||",
    "or2|",
    "pL2+=",
    "pl2+",
    "pm2->*",
    "pp1++",
    "ps1+",
    "pt2->",
    "qu3?",
    "rM2%=",
    "rS2>>=",
    "rc2reinterpret_cast",
    "rm2%",
    "rs2>>",
    "sP1sizeof...",
    "sZ1sizeof...",
    "sc2static_cast",
    "ss2<=>",
    "st1sizeof ",
    "sz1sizeof ",
    "te1typeid ",
    "ti1typeid ",
    "tr0throw",
    "tw1throw ",
  };

  private static final byte[] INDEX = new byte[26 * 64];
  private static final String[] TEXTS = new String[TABLE.length];

  static {
    for (int i = 0; i < TABLE.length; i++) {
      INDEX[slot(TABLE[i].charAt(0), TABLE[i].charAt(1))] = (byte) (i + 1);
      TEXTS[i] = TABLE[i].substring(3);
    }
  }

  private Operators() {}

  private static int slot(char first, char second) {
    return first < 'a' || first > 'z' || second < 'A' || second > 'z'
        ? 0
        : (first - 'a') * 64 + second - 'A';
  }

  /** The number of an operator, or -1. */
  static int find(char first, char second) {
    return INDEX[slot(first, second)] - 1;
  }

  static boolean is(int operator, char first, char second) {
    String entry = TABLE[operator];
    return entry.charAt(0) == first && entry.charAt(1) == second;
  }

  static char first(int operator) {
    return TABLE[operator].charAt(0);
  }

  static char second(int operator) {
    return TABLE[operator].charAt(1);
  }

  static int arity(int operator) {
    return TABLE[operator].charAt(2) - '0';
  }

  static String text(int operator) {
    return TEXTS[operator];
  }
}
