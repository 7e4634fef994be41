package dev.plumb.unwind;

import java.util.Arrays;

/**
 * The registers of a thread where its unwinding starts.
 *
 * @param pc where it runs, exactly
 * @param general by DWARF's number: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15
 * @param all whether all of them are known, else rbp and rsp only
 */
public record Registers(long pc, long[] general, boolean all) {
  static final int COUNT = 16;
  static final int RBP = 6;
  static final int RSP = 7;

  public Registers {
    general = Arrays.copyOf(general, COUNT);
  }

  public static Registers of(long pc, long sp, long fp) {
    long[] general = new long[COUNT];
    general[RSP] = sp;
    general[RBP] = fp;
    return new Registers(pc, general, false);
  }
}
