package dev.plumb.unwind.rule;

/**
 * How to get from a frame to its caller, in 8 bytes: the kernel side reads the same layout (struct
 * unwind_rule of {@code tables.h}).
 *
 * <pre>
 *  0        4         6     7     8
 *  +--------+---------+-----+-----+
 *  | cfaOff | rbpOff  | cfa | rbp |
 *  +--------+---------+-----+-----+
 *    s32      s16       u8    u8
 * </pre>
 *
 * The return address is at CFA - 8, except in {@link #CFA_SIGNAL} frames. The caller's stack
 * pointer is the CFA.
 *
 * @param cfa one of the CFA constants
 * @param cfaOffset what to add; with {@link #CFA_AT_RBP}, to rbp before the read
 * @param rbp one of the RBP constants
 * @param rbpOffset where the caller's rbp is saved, relative to the CFA or to rbp
 * @param rbx only in tables that follow rbx, in the upper six bits of rbp's byte: 0 if the caller's
 *     is the same; {@link #RBX_LOST}; else it is saved so many words below the CFA
 */
public record UnwindRule(int cfa, int cfaOffset, int rbp, int rbpOffset, int rbx) {
  /** Not in a described function: there is no rule for this code. */
  public static final int CFA_NONE = 0;

  /** CFA = rsp + offset. */
  public static final int CFA_RSP = 1;

  /** CFA = rbp + offset. */
  public static final int CFA_RBP = 2;

  /** CFA = the word at rbp + offset: a function that aligned its stack. */
  public static final int CFA_AT_RBP = 3;

  /**
   * CFA = rsp + 8, or rsp + 16 from some byte on in each 16-byte entry: a stub of the PLT. The
   * offset is the number of this byte: 11, or 9 in stubs for indirect branch tracking.
   */
  public static final int CFA_PLT = 4;

  /** A signal handler's return: the registers are in the rt_sigframe at rsp. */
  public static final int CFA_SIGNAL = 5;

  /** The outermost function: its return address is undefined. */
  public static final int CFA_END = 6;

  /** Described, but in a way that is not supported here. */
  public static final int CFA_UNSUPPORTED = 7;

  /** No CFA: the caller continues at the address in rcx, with the same rsp; in a leaf only. */
  public static final int CFA_LANDING_IN_RCX = 8;

  /** CFA = rbp + offset, on any stack; if rbp is 0, this is the outermost function. */
  public static final int CFA_OTHER_STACK = 9;

  /** CFA = the word at rsp + offset, plus 8: assembler code that aligned its stack. */
  public static final int CFA_ABOVE_WORD_AT_RSP = 10;

  /** No CFA: the return address is in rdi, the stack pointer stays: vfork; in a leaf only. */
  public static final int CFA_RETURN_IN_RDI = 11;

  /**
   * No CFA: execution continues in the catching function, by the context of GCC's library at rbp +
   * offset.
   */
  public static final int CFA_LANDING_IN_CONTEXT = 12;

  /**
   * No CFA: the catching function continues at the address in the word at rcx, with rsp = rcx + 8.
   */
  public static final int CFA_LANDING_AT_RCX = 13;

  /**
   * CFA = rsp + offset after a system call that clones. In a leaf with rax = 0, it is the new
   * process or thread, and this is its outermost function.
   */
  public static final int CFA_CLONED = 14;

  /** Plus a register's DWARF number: CFA = that register + offset; in a leaf frame only. */
  public static final int CFA_REGISTER = 16;

  /** The caller's rbp is the same. */
  public static final int RBP_SAME = 0;

  /** It is saved at CFA + offset. */
  public static final int RBP_AT_CFA = 1;

  /** It is saved at rbp + offset. */
  public static final int RBP_AT_RBP = 2;

  /** It is lost. */
  public static final int RBP_UNDEFINED = 3;

  public static final int RBX_LOST = 63;

  public static final UnwindRule NONE = new UnwindRule(CFA_NONE, 0, RBP_UNDEFINED, 0);
  static final UnwindRule UNSUPPORTED = new UnwindRule(CFA_UNSUPPORTED, 0, RBP_UNDEFINED, 0);

  public UnwindRule(int cfa, int cfaOffset, int rbp, int rbpOffset) {
    this(cfa, cfaOffset, rbp, rbpOffset, 0);
  }

  /** As the kernel side reads it, little-endian. */
  public long packed() {
    return (cfaOffset & 0xFFFF_FFFFL)
        | (rbpOffset & 0xFFFFL) << 32
        | (cfa & 0xFFL) << 48
        | (rbp & 3L | (rbx & 63L) << 2) << 56;
  }

  public static UnwindRule of(long packed) {
    return new UnwindRule(
        cfa(packed), cfaOffset(packed), rbp(packed), rbpOffset(packed), rbx(packed));
  }

  public static int cfa(long packed) {
    return (int) (packed >>> 48) & 0xFF;
  }

  public static int cfaOffset(long packed) {
    return (int) packed;
  }

  public static int rbp(long packed) {
    return (int) (packed >>> 56) & 3;
  }

  public static int rbx(long packed) {
    return (int) (packed >>> 58);
  }

  public static int rbpOffset(long packed) {
    return (short) (packed >>> 32);
  }
}
