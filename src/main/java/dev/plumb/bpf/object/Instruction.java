package dev.plumb.bpf.object;

/**
 * BPF instructions as longs, as they lie in memory on a little-endian machine.
 *
 * <pre>
 * bits 0-7 opcode   8-11 dst   12-15 src   16-31 offset   32-63 immediate
 * </pre>
 *
 * A 64-bit immediate load takes two of them; the second has the upper half as its immediate.
 */
public final class Instruction {
  static final int LD_IMM64 = 0x18;
  public static final int CALL = 0x85;
  public static final int EXIT = 0x95;

  /** Meanings of src in a call. */
  static final int PSEUDO_CALL = 1;

  static final int PSEUDO_KFUNC_CALL = 2;

  /** Meanings of src in a 64-bit immediate load. */
  public static final int PSEUDO_MAP_FD = 1;

  public static final int PSEUDO_MAP_VALUE = 2;
  static final int PSEUDO_BTF_ID = 3;
  static final int PSEUDO_FUNC = 4;

  private static final int CLASS_LDX = 1;
  private static final int CLASS_ST = 2;
  private static final int CLASS_STX = 3;
  private static final int CLASS_ALU = 4;
  private static final int CLASS_ALU64 = 7;

  private Instruction() {}

  public static long of(int opcode, int dst, int src, int offset, int immediate) {
    return opcode
        | (long) dst << 8
        | (long) src << 12
        | (offset & 0xffffL) << 16
        | (long) immediate << 32;
  }

  public static int opcode(long insn) {
    return (int) insn & 0xff;
  }

  static int dst(long insn) {
    return (int) (insn >>> 8) & 0xf;
  }

  public static int src(long insn) {
    return (int) (insn >>> 12) & 0xf;
  }

  static int offset(long insn) {
    return (short) (insn >>> 16);
  }

  public static int immediate(long insn) {
    return (int) (insn >>> 32);
  }

  public static long withImmediate(long insn, int immediate) {
    return insn & 0xffffffffL | (long) immediate << 32;
  }

  static long withSrc(long insn, int src) {
    return insn & ~0xf000L | (long) src << 12;
  }

  static long withOffset(long insn, int offset) {
    return insn & ~0xffff0000L | (offset & 0xffffL) << 16;
  }

  public static boolean isWideLoad(long insn) {
    return opcode(insn) == LD_IMM64;
  }

  /** A call of another BPF function, in the same or another section. */
  static boolean isFunctionCall(long insn) {
    return opcode(insn) == CALL && src(insn) == PSEUDO_CALL;
  }

  /** Arithmetic with an immediate operand. */
  static boolean isImmediateAlu(long insn) {
    int opcode = opcode(insn);
    return ((opcode & 7) == CLASS_ALU || (opcode & 7) == CLASS_ALU64) && (opcode & 8) == 0;
  }

  /** A load or store through a register. */
  static boolean isMemoryAccess(long insn) {
    int type = opcode(insn) & 7;
    return type == CLASS_LDX || type == CLASS_ST || type == CLASS_STX;
  }

  /** The bytes that a load or store moves. */
  static int accessSize(long insn) {
    return switch (opcode(insn) & 0x18) {
      case 0x00 -> 4;
      case 0x08 -> 2;
      case 0x10 -> 1;
      default -> 8;
    };
  }

  /** A load or store of another size; 0 if there is none of that size. */
  static long withAccessSize(long insn, long size) {
    int bits =
        switch ((int) Math.min(size, 16)) {
          case 8 -> 0x18;
          case 4 -> 0x00;
          case 2 -> 0x08;
          case 1 -> 0x10;
          default -> -1;
        };
    return bits < 0 ? 0 : insn & ~0x18L | bits;
  }
}
