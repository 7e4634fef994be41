package dev.plumb.dwarf.cfi;

/** A function's rows as text: address, CFA, then each register that is not lost. */
final class FrameText {
  static final String[] REGISTERS = new String[128];

  static {
    String[] names = {
      "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12",
      "r13", "r14", "r15", "ra"
    };
    System.arraycopy(names, 0, REGISTERS, 0, names.length);
    for (int i = 0; i < 16; i++) {
      REGISTERS[17 + i] = "xmm" + i;
      REGISTERS[67 + i] = "xmm" + (16 + i);
    }
    for (int i = 0; i < 8; i++) {
      REGISTERS[33 + i] = "st" + i;
      REGISTERS[41 + i] = "mm" + i;
      REGISTERS[118 + i] = "k" + i;
    }
    String[] others = {"rflags", "es", "cs", "ss", "ds", "fs", "gs"};
    System.arraycopy(others, 0, REGISTERS, 49, others.length);
    REGISTERS[64] = "mxcsr";
  }

  private final long elfStart;
  private final long elfEnd;
  private final StringBuilder text = new StringBuilder();
  private int rows;

  FrameText(long elfStart, long elfEnd) {
    this.elfStart = elfStart;
    this.elfEnd = elfEnd;
  }

  long elfEnd() {
    return elfEnd;
  }

  long elfStart() {
    return elfStart;
  }

  int rows() {
    return rows;
  }

  void add(FrameRow row) {
    begin(row.elfStart(), cfa(row));
    for (int i = 0; i < 128; i++) {
      if (row.kind(i) > FrameRow.UNDEFINED) {
        rule(i, rule(row, i));
      }
    }
    end();
  }

  void begin(long at, String cfa) {
    text.append(Long.toHexString(at)).append(' ').append(cfa);
    rows++;
  }

  void rule(int register, String rule) {
    text.append(' ').append(REGISTERS[register]).append('=').append(rule);
  }

  void end() {
    text.append('\n');
  }

  private static String cfa(FrameRow row) {
    return row.cfaKind() == FrameRow.EXPRESSION
        ? "exp"
        : REGISTERS[row.cfaRegister()] + signed(row.cfaOffset());
  }

  private static String rule(FrameRow row, int register) {
    return switch (row.kind(register)) {
      case FrameRow.SAME -> "s";
      case FrameRow.OFFSET -> "c" + signed(row.value(register));
      case FrameRow.VALUE_OFFSET -> "v" + signed(row.value(register));
      case FrameRow.REGISTER -> "r" + row.value(register);
      case FrameRow.EXPRESSION -> "exp";
      case FrameRow.VALUE_EXPRESSION -> "vexp";
      default -> "?";
    };
  }

  private static String signed(long value) {
    return (value < 0 ? "" : "+") + value;
  }

  @Override
  public String toString() {
    return Long.toHexString(elfStart) + " to " + Long.toHexString(elfEnd) + "\n" + text;
  }
}
