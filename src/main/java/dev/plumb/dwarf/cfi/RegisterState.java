package dev.plumb.dwarf.cfi;

/** The rules that apply at a place in a program: the CFA's and each register's. */
final class RegisterState {
  /** x86-64 has the most: 126. Rules of registers that do not exist are ignored. */
  static final int REGISTERS = 128;

  /** Registers that are always copied, so that a copy is one short run. */
  private static final int USUAL = 17;

  private final byte[] kinds = new byte[REGISTERS];
  private final long[] values = new long[REGISTERS];
  private int used = USUAL;
  private byte cfaKind;
  private int cfaRegister;
  private long cfaOffset;
  private long cfaExpression;

  void clear() {
    copyFrom(new RegisterState());
  }

  void copyFrom(RegisterState other) {
    int count = Math.max(used, other.used);
    System.arraycopy(other.kinds, 0, kinds, 0, count);
    System.arraycopy(other.values, 0, values, 0, count);
    used = other.used;
    cfaKind = other.cfaKind;
    cfaRegister = other.cfaRegister;
    cfaOffset = other.cfaOffset;
    cfaExpression = other.cfaExpression;
  }

  void rule(long register, byte kind, long value) {
    if (register < 0 || register >= REGISTERS) {
      return;
    }
    int i = (int) register;
    kinds[i] = kind;
    values[i] = value;
    used = Math.max(used, i + 1);
  }

  /** Gives a register the rule that it has in another state. */
  void restore(long register, RegisterState initial) {
    if (register >= 0 && register < REGISTERS) {
      rule(register, initial.kinds[(int) register], initial.values[(int) register]);
    }
  }

  void cfa(long register, long offset) {
    cfaOffset = offset;
    cfaRegister(register);
  }

  void cfaRegister(long register) {
    cfaRegister = register < 0 || register >= REGISTERS ? REGISTERS : (int) register;
    cfaKind = FrameRow.REGISTER;
  }

  void cfaOffset(long offset) {
    cfaOffset = offset;
  }

  void cfaExpression(long place) {
    cfaExpression = place;
    cfaKind = FrameRow.EXPRESSION;
  }

  int kind(int register) {
    return kinds[register];
  }

  long value(int register) {
    return values[register];
  }

  int cfaKind() {
    return cfaKind;
  }

  int cfaRegister() {
    return cfaRegister;
  }

  long cfaOffset() {
    return cfaOffset;
  }

  long cfaExpression() {
    return cfaExpression;
  }
}
