package dev.plumb.unwind.rule;

import static dev.plumb.unwind.rule.FrameExpression.NO_PLT;
import static dev.plumb.unwind.rule.FrameExpression.RBP;
import static dev.plumb.unwind.rule.FrameExpression.RIP;
import static dev.plumb.unwind.rule.FrameExpression.RSP;

import dev.plumb.dwarf.cfi.FrameRow;

/** Makes packed rules (see {@link UnwindRule}) of x86-64 rows, without allocating. */
public final class RuleMaker {
  static final long NONE = UnwindRule.NONE.packed();
  static final long UNSUPPORTED = UnwindRule.UNSUPPORTED.packed();
  private static final long END = packed(UnwindRule.CFA_END, 0, UnwindRule.RBP_UNDEFINED, 0);
  private static final long SIGNAL = packed(UnwindRule.CFA_SIGNAL, 0, UnwindRule.RBP_UNDEFINED, 0);

  /** The offsets of rsp and rip in rt_sigframe, from rsp in the signal handler's return. */
  private static final int SIGNAL_RSP = 160;

  private static final int SIGNAL_RIP = 168;

  private static final int RETURN_ADDRESS = -8;

  private static final int RBX = 3;
  private static final int RCX = 2;
  private static final int RDI = 5;

  private final FrameExpression expression = new FrameExpression();
  private final boolean followsRbx;

  public RuleMaker(boolean followsRbx) {
    this.followsRbx = followsRbx;
  }

  public long rule(FrameRow row) {
    if (row.returnAddressRegister() != RIP) {
      return UNSUPPORTED;
    }
    if (row.returnAddressUndefined()) {
      return END;
    }
    if (row.signalFrame() && isSignalFrame(row)) {
      return SIGNAL;
    }
    if (returnsBy(RCX, row)) {
      return withRbp(row, UnwindRule.CFA_LANDING_IN_RCX, 0);
    }
    if (returnsBy(RDI, row)) {
      return withRbp(row, UnwindRule.CFA_RETURN_IN_RDI, 0);
    }
    if (!returnsNormally(row)) {
      return UNSUPPORTED;
    }
    if (row.cfaKind() == FrameRow.REGISTER) {
      return byRegister(row, row.cfaRegister(), row.cfaOffset());
    }
    return row.cfaKind() == FrameRow.EXPRESSION ? byExpression(row) : UNSUPPORTED;
  }

  private boolean isSignalFrame(FrameRow row) {
    return row.cfaKind() == FrameRow.EXPRESSION
        && expression.of(row, FrameRow.CFA).isWordAt(RSP)
        && expression.offset() == SIGNAL_RSP
        && row.kind(RIP) == FrameRow.EXPRESSION
        && expression.of(row, RIP).isRegister(RSP)
        && expression.offset() == SIGNAL_RIP;
  }

  /** Whether the return address is just below the CFA, which is the caller's stack pointer. */
  private static boolean returnsNormally(FrameRow row) {
    int rsp = row.kind(RSP);
    return row.kind(RIP) == FrameRow.OFFSET
        && row.value(RIP) == RETURN_ADDRESS
        && (rsp == FrameRow.UNSPECIFIED || rsp == FrameRow.VALUE_OFFSET && row.value(RSP) == 0);
  }

  /**
   * As GCC's __builtin_eh_return ends (pop rcx, jmp rcx), and vfork, whose child uses its stack.
   */
  private static boolean returnsBy(int register, FrameRow row) {
    return row.kind(RIP) == FrameRow.REGISTER
        && row.value(RIP) == register
        && row.cfaKind() == FrameRow.REGISTER
        && row.cfaRegister() == RSP
        && row.cfaOffset() == 0
        && row.kind(RBP) <= FrameRow.SAME;
  }

  private long byRegister(FrameRow row, int register, long offset) {
    return switch (register) {
      case RSP -> withRbp(row, UnwindRule.CFA_RSP, offset);
      case RBP -> withRbp(row, UnwindRule.CFA_RBP, offset);
      default ->
          register < RIP ? withRbp(row, UnwindRule.CFA_REGISTER + register, offset) : UNSUPPORTED;
    };
  }

  private long byExpression(FrameRow row) {
    expression.of(row, FrameRow.CFA);
    if (expression.isWordAt(RBP)) {
      return withRbp(row, UnwindRule.CFA_AT_RBP, expression.offset());
    }
    if (expression.isWordAt(RSP, 8)) {
      return withRbp(row, UnwindRule.CFA_ABOVE_WORD_AT_RSP, expression.offset());
    }
    for (int register = 0; register < RIP; register++) {
      if (expression.isRegister(register)) {
        return byRegister(row, register, expression.offset());
      }
    }
    int push = expression.pltPush();
    return push == NO_PLT ? UNSUPPORTED : withRbp(row, UnwindRule.CFA_PLT, push);
  }

  private long withRbp(FrameRow row, int cfa, long cfaOffset) {
    int rbp;
    long rbpOffset = 0;
    switch (row.kind(RBP)) {
      case FrameRow.UNSPECIFIED, FrameRow.SAME -> rbp = UnwindRule.RBP_SAME;
      case FrameRow.OFFSET -> {
        rbp = UnwindRule.RBP_AT_CFA;
        rbpOffset = row.value(RBP);
      }
      case FrameRow.EXPRESSION -> {
        boolean known = expression.of(row, RBP).isRegister(RBP);
        rbp = known ? UnwindRule.RBP_AT_RBP : UnwindRule.RBP_UNDEFINED;
        rbpOffset = known ? expression.offset() : 0;
      }
      default -> rbp = UnwindRule.RBP_UNDEFINED;
    }
    return cfaOffset == (int) cfaOffset && rbpOffset == (short) rbpOffset
        ? packed(cfa, (int) cfaOffset, rbp, (int) rbpOffset) | (followsRbx ? rbx(row) : 0)
        : UNSUPPORTED;
  }

  /** Packed. */
  private static long rbx(FrameRow row) {
    long rbx =
        switch (row.kind(RBX)) {
          case FrameRow.UNSPECIFIED, FrameRow.SAME -> 0;
          case FrameRow.OFFSET -> {
            long words = -row.value(RBX) / 8;
            boolean fits = words > 0 && words < UnwindRule.RBX_LOST && row.value(RBX) % 8 == 0;
            yield fits ? words : UnwindRule.RBX_LOST;
          }
          default -> UnwindRule.RBX_LOST;
        };
    return rbx << 58;
  }

  /** As {@link UnwindRule#packed}. */
  private static long packed(int cfa, int cfaOffset, int rbp, int rbpOffset) {
    return (cfaOffset & 0xFFFF_FFFFL)
        | (rbpOffset & 0xFFFFL) << 32
        | (long) cfa << 48
        | (long) rbp << 56;
  }
}
