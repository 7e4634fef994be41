package dev.plumb.dwarf.cfi;

/**
 * How to get from some instructions of a function to its caller. One object is reused for all rows
 * of a file: copy what you want to keep.
 */
public final class FrameRow {
  /** No rule for the register: the ABI decides. For the CFA: unknown. */
  public static final byte UNSPECIFIED = 0;

  /** Its value is lost. */
  public static final byte UNDEFINED = 1;

  /** It still has the caller's value. */
  public static final byte SAME = 2;

  /** It is saved at CFA + value. */
  public static final byte OFFSET = 3;

  /** It is CFA + value. */
  public static final byte VALUE_OFFSET = 4;

  /** It is in the register with this number. For the CFA: register + offset. */
  public static final byte REGISTER = 5;

  /** It is saved at the address that an expression gives. For the CFA: the expression's value. */
  public static final byte EXPRESSION = 6;

  /** It is the value of an expression. */
  public static final byte VALUE_EXPRESSION = 7;

  /** Stands for the CFA in place of a register's number. */
  public static final int CFA = -1;

  private static final long OF_COMMON = Long.MIN_VALUE;

  final RegisterState state = new RegisterState();
  private CommonEntry common = CommonEntry.NONE;
  private byte[] bytes = new byte[0];
  private long elfStart;
  private long elfEnd;

  FrameRow() {}

  /** Where an expression is: in the function's own bytes, or in those of the common entry. */
  static long place(boolean inCommon, int at, int length) {
    return (inCommon ? OF_COMMON : 0) | (long) at << 32 | length;
  }

  void begin(CommonEntry common, byte[] bytes) {
    this.common = common;
    this.bytes = bytes;
    state.copyFrom(common.initial());
  }

  void range(long elfStart, long elfEnd) {
    this.elfStart = elfStart;
    this.elfEnd = elfEnd;
  }

  public long elfStart() {
    return elfStart;
  }

  /** The first address after it. */
  public long elfEnd() {
    return elfEnd;
  }

  /** The CFA's rule: UNSPECIFIED, REGISTER or EXPRESSION. */
  public int cfaKind() {
    return state.cfaKind();
  }

  /** DWARF's number; 128 for a register that does not exist. */
  public int cfaRegister() {
    return state.cfaRegister();
  }

  public long cfaOffset() {
    return state.cfaOffset();
  }

  /** The rule of a register, 0 to 127. */
  public int kind(int register) {
    return state.kind(register);
  }

  /** The rule's offset or register. */
  public long value(int register) {
    return state.value(register);
  }

  /** The register whose rule is the return address's. */
  public int returnAddressRegister() {
    return common.returnAddressRegister();
  }

  /** Whether the return address is undefined, which marks the outermost function. */
  public boolean returnAddressUndefined() {
    int register = common.returnAddressRegister();
    return register < RegisterState.REGISTERS && state.kind(register) == UNDEFINED;
  }

  /** Whether the caller was interrupted instead of calling, so that its address is exact. */
  public boolean signalFrame() {
    return common.signalFrame();
  }

  /**
   * Copies the expression of a register or of {@link #CFA}, as far as it fits; returns its length.
   */
  public int expression(int register, byte[] target) {
    int kind = register == CFA ? state.cfaKind() : state.kind(register);
    if (kind != EXPRESSION && kind != VALUE_EXPRESSION) {
      return 0;
    }
    long place = register == CFA ? state.cfaExpression() : state.value(register);
    int length = (int) place;
    System.arraycopy(
        place < 0 ? common.bytes() : bytes,
        (int) (place >>> 32) & Integer.MAX_VALUE,
        target,
        0,
        Math.min(length, target.length));
    return length;
  }
}
