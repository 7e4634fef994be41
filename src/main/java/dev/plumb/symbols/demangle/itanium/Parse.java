package dev.plumb.symbols.demangle.itanium;

import java.util.Arrays;

/**
 * The state of parsing one mangled name of the Itanium C++ ABI: the position, the nodes made so
 * far, what substitutions refer to. The grammar is in {@link EncodedNames}, {@link Types} and
 * {@link Expressions}; it looks ahead a character or two and never goes back, so time is linear.
 * Only a name with qualified names in expressions may be read twice ({@link #oldScopes}).
 */
public final class Parse {
  /** Real names nest a few dozen deep; this limit keeps us far from the end of a thread's stack. */
  static final int MAX_DEPTH = 256;

  final String text;
  final int end;
  final Tree tree;
  final EncodedNames names;
  final Types types;
  final Expressions expressions;
  int at;

  /** The class that a constructor's name repeats. */
  int lastName = Tree.NONE;

  /** Inside the type that a conversion operator converts to. */
  boolean inConversion;

  /** Template arguments read with that type that are the operator's, and its substitution. */
  private int conversionArguments = Tree.NONE;

  private int conversionSlot;

  private int depth;
  private int[] substitutions = new int[16];
  private int substitutionCount;

  /** How names in expressions are qualified: as the ABI says, or as older compilers did. */
  final boolean oldScopes;

  /** Whether the name has such a qualified name, so that {@link #oldScopes} matters. */
  boolean sawScope;

  Parse(String text, int at, int end, boolean oldScopes) {
    this.text = text;
    this.at = at;
    this.end = end;
    this.oldScopes = oldScopes;
    this.tree = new Tree(Math.max(16, end - at));
    this.names = new EncodedNames(this);
    this.types = new Types(this);
    this.expressions = new Expressions(this);
  }

  public static NotMangledException fail() {
    return NotMangledException.INSTANCE;
  }

  char peek() {
    return at < end ? text.charAt(at) : 0;
  }

  char peekAfter() {
    return at + 1 < end ? text.charAt(at + 1) : 0;
  }

  char next() {
    return at < end ? text.charAt(at++) : 0;
  }

  boolean accept(char c) {
    if (at < end && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  boolean accept(char first, char second) {
    if (peek() == first && peekAfter() == second) {
      at += 2;
      return true;
    }
    return false;
  }

  void expect(char c) {
    if (!accept(c)) {
      throw fail();
    }
  }

  public static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Digits; 0 if there are none. */
  int digits() {
    int value = 0;
    while (isDigit(peek())) {
      value = value * 10 + (next() - '0');
      if (value > 0xff_ffff) {
        throw fail();
      }
    }
    return value;
  }

  /** Skips a number, which may be negative. */
  void skipNumber() {
    accept('n');
    while (isDigit(peek())) {
      at++;
    }
  }

  /** {@code _} is 0, {@code 0_} is 1 and so on. */
  int compactNumber() {
    int value = peek() == '_' ? 0 : digitsExpected() + 1;
    expect('_');
    return value;
  }

  private int digitsExpected() {
    if (!isDigit(peek())) {
      throw fail();
    }
    return digits();
  }

  void enter() {
    if (++depth > MAX_DEPTH) {
      throw fail();
    }
  }

  void leave() {
    depth--;
  }

  int addSubstitution(int node) {
    if (substitutionCount == substitutions.length) {
      substitutions = Arrays.copyOf(substitutions, 2 * substitutionCount);
    }
    substitutions[substitutionCount++] = node;
    return node;
  }

  int reserveSubstitution() {
    addSubstitution(Tree.NONE);
    return substitutionCount - 1;
  }

  void setSubstitution(int index, int node) {
    substitutions[index] = node;
  }

  void keepConversionArguments(int slot, int arguments) {
    conversionArguments = arguments;
    conversionSlot = slot;
  }

  /** NONE if there are none; {@code name} becomes what the reserved substitution refers to. */
  int takeConversionArguments(int name) {
    int arguments = conversionArguments;
    if (arguments != Tree.NONE) {
      substitutions[conversionSlot] = name;
      conversionArguments = Tree.NONE;
    }
    return arguments;
  }

  int substitution(int index) {
    if (index < 0 || index >= substitutionCount || substitutions[index] == Tree.NONE) {
      throw fail();
    }
    return substitutions[index];
  }
}
