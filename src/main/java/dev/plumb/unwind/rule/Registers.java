package dev.plumb.unwind.rule;

import java.util.Arrays;

/**
 * A thread's registers where unwinding starts.
 *
 * @param pc the address of the current instruction
 * @param general by DWARF's number: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15
 * @param known one bit for each of these that is known, and perhaps {@link #AT_ENTRY}
 */
public record Registers(long pc, long[] general, int known) {
  public static final int COUNT = 16;
  static final int RAX = 0;
  static final int RCX = 2;
  static final int RBX = 3;
  static final int RDI = 5;
  public static final int RBP = 6;
  public static final int RSP = 7;

  /** A bit besides those of registers: a function was just entered. */
  public static final int AT_ENTRY = 1 << 30;

  public Registers {
    general = Arrays.copyOf(general, COUNT);
  }

  /** All registers are known. */
  public static Registers all(long pc, long[] general) {
    return new Registers(pc, general, (1 << COUNT) - 1);
  }

  /** The same at the start of a function: the return address is on top of the stack. */
  public Registers atEntry() {
    return new Registers(pc, general, known | AT_ENTRY);
  }

  /** The registers that suffice for nearly all code. */
  public static Registers of(long pc, long sp, long fp) {
    long[] general = new long[COUNT];
    general[RSP] = sp;
    general[RBP] = fp;
    return new Registers(pc, general, 1 << RSP | 1 << RBP);
  }

  /**
   * Adds those needed at the end of a throw, in vfork and in clone; rcx and rdi are 0 if unknown.
   */
  public static Registers of(long pc, long sp, long fp, long bx, long cx, long di, long ax) {
    Registers four = of(pc, sp, fp, bx);
    four.general[RCX] = cx;
    four.general[RDI] = di;
    four.general[RAX] = ax;
    int more = 1 << RAX | (cx == 0 ? 0 : 1 << RCX) | (di == 0 ? 0 : 1 << RDI);
    return new Registers(pc, four.general, four.known | more);
  }

  /** Adds rbx, which is needed in the dynamic linker. */
  public static Registers of(long pc, long sp, long fp, long bx) {
    Registers three = of(pc, sp, fp);
    three.general[RBX] = bx;
    return new Registers(pc, three.general, three.known | 1 << RBX);
  }
}
