package dev.plumb.unwind.rule;

import java.util.Arrays;

/**
 * The registers of a thread where its unwinding starts.
 *
 * @param pc where it runs, exactly
 * @param general by DWARF's number: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15
 * @param known a bit for each of these that is known; {@link #AT_ENTRY} says more
 */
public record Registers(long pc, long[] general, int known) {
  public static final int COUNT = 16;
  static final int RAX = 0;
  static final int RCX = 2;
  static final int RBX = 3;
  static final int RDI = 5;
  public static final int RBP = 6;
  public static final int RSP = 7;

  /** Beside the bits of registers: a function has just been entered. */
  public static final int AT_ENTRY = 1 << 30;

  public Registers {
    general = Arrays.copyOf(general, COUNT);
  }

  /** All of them. */
  public static Registers all(long pc, long[] general) {
    return new Registers(pc, general, (1 << COUNT) - 1);
  }

  /** The same where a function begins: its return address is what the stack begins with. */
  public Registers atEntry() {
    return new Registers(pc, general, known | AT_ENTRY);
  }

  /** Those that nearly all code does with. */
  public static Registers of(long pc, long sp, long fp) {
    long[] general = new long[COUNT];
    general[RSP] = sp;
    general[RBP] = fp;
    return new Registers(pc, general, 1 << RSP | 1 << RBP);
  }

  /** And those that the end of a throw, vfork and clone need; rcx and rdi are 0 if not known. */
  public static Registers of(long pc, long sp, long fp, long bx, long cx, long di, long ax) {
    Registers four = of(pc, sp, fp, bx);
    four.general[RCX] = cx;
    four.general[RDI] = di;
    four.general[RAX] = ax;
    int more = 1 << RAX | (cx == 0 ? 0 : 1 << RCX) | (di == 0 ? 0 : 1 << RDI);
    return new Registers(pc, four.general, four.known | more);
  }

  /** And the one that the dynamic linker needs. */
  public static Registers of(long pc, long sp, long fp, long bx) {
    Registers three = of(pc, sp, fp);
    three.general[RBX] = bx;
    return new Registers(pc, three.general, three.known | 1 << RBX);
  }
}
