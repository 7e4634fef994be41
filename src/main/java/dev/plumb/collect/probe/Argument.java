package dev.plumb.collect.probe;

import dev.plumb.collect.code.ProbeException;

/**
 * Where a value is when a probe fires; {@code struct argument} of {@code arguments.h}.
 *
 * @param name of its label
 * @param value a constant, or an offset
 * @param base of a register in struct pt_regs
 * @param index likewise, times {@code 1 << shift}; {@link #NO_REGISTER} if there is none
 * @param size in bytes; of text, how many there are at most
 */
public record Argument(
    String name, Kind kind, long value, int base, int index, int shift, int size, boolean signed) {
  public static final int NO_REGISTER = 0xffff;

  /** Bytes in {@code arguments.h}. */
  public static final int STRUCT_SIZE = 16;

  /** The most that a probe has. */
  public static final int MOST = 8;

  /** How many bytes of a text are kept. */
  public static final int TEXT_SIZE = 64;

  /** {@code enum argument_kind}, in its order. */
  public enum Kind {
    NONE,
    CONSTANT,
    REGISTER,
    /** What base + index + value points to in user memory. */
    MEMORY,
    /** A number at an offset of a tracepoint's record. */
    FIELD,
    /** Text at an offset of a tracepoint's record. */
    TEXT_FIELD,
    /** Text whose offset and length are at an offset of a tracepoint's record. */
    DYNAMIC_TEXT,
    /** Text that a register points to in user memory. */
    TEXT_AT_REGISTER,
    /** Text that a number of a tracepoint's record points to in user memory. */
    TEXT_AT_FIELD,
    /** A number in a record of arguments, of fentry. */
    WORD
  }

  /** Whether it is text. */
  public boolean isText() {
    return switch (kind) {
      case TEXT_FIELD, DYNAMIC_TEXT, TEXT_AT_REGISTER, TEXT_AT_FIELD -> true;
      default -> false;
    };
  }

  Argument named(String other) {
    return new Argument(other, kind, value, base, index, shift, size, signed);
  }

  /** What it points to, as text. */
  Argument asText() {
    return switch (kind) {
      case REGISTER ->
          new Argument(name, Kind.TEXT_AT_REGISTER, 0, base, index, 0, TEXT_SIZE, false);
      case FIELD -> new Argument(name, Kind.TEXT_AT_FIELD, value, 0, index, 0, TEXT_SIZE, false);
      default -> throw new ProbeException("'" + name + "' cannot be read as text");
    };
  }

  static Argument register(String name, int base) {
    return new Argument(name, Kind.REGISTER, 0, base, NO_REGISTER, 0, 8, true);
  }
}
