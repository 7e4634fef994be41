package dev.plumb.dwarf.cfi;

/**
 * How to get from some instructions of a function to its caller. One object is used for all rows of
 * a file: whoever wants to keep something copies it.
 */
public final class FrameRow {
  /** Nothing was said of the register: the ABI decides. Of the CFA: it is not known. */
  public static final byte UNSPECIFIED = 0;

  /** Its value is lost. */
  public static final byte UNDEFINED = 1;

  /** It still has the caller's value. */
  public static final byte SAME = 2;

  /** It lies at CFA + value. */
  public static final byte OFFSET = 3;

  /** It is CFA + value. */
  public static final byte VALUE_OFFSET = 4;

  /** It is in the register numbered value. Of the CFA: register + offset. */
  public static final byte REGISTER = 5;

  /** It lies where an expression says. Of the CFA: it is what the expression says. */
  public static final byte EXPRESSION = 6;

  /** It is what an expression says. */
  public static final byte VALUE_EXPRESSION = 7;

  /** In place of a register's number: the CFA. */
  public static final int CFA = -1;

  private static final long OF_COMMON = Long.MIN_VALUE;

  final RegisterState state = new RegisterState();
  private CommonEntry common = CommonEntry.NONE;
  private byte[] bytes = new byte[0];
  private long elfStart;
  private long elfEnd;

  FrameRow() {}

  /** Where an expression stands: in the function's own bytes, or in those of the common entry. */
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

  /** The first address behind it. */
  public long elfEnd() {
    return elfEnd;
  }

  /** The CFA's rule: UNSPECIFIED, REGISTER or EXPRESSION. */
  public int cfaKind() {
    return state.cfaKind();
  }

  /** DWARF's number; 128 for those that do not exist. */
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

  /** Whether the return address is undefined, which only the outermost function says. */
  public boolean returnAddressUndefined() {
    int register = common.returnAddressRegister();
    return register < RegisterState.REGISTERS && state.kind(register) == UNDEFINED;
  }

  /** Whether the caller was interrupted, not calling: its address is exact. */
  public boolean signalFrame() {
    return common.signalFrame();
  }

  /** Copies the expression of a register or of {@link #CFA}, as far as it fits; its length. */
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
