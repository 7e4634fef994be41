package dev.plumb.collect.code;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;

/**
 * Where near a function's entry a probe costs least. The kernel carries out some instructions for
 * the program that it has stopped: pushes, jumps and one-byte nops. Any other it lets the program
 * step through on its own, which is a second trap, and under a hypervisor takes several times as
 * long. So a probe goes to the first instruction of the cheap kind, if what stands before it leaves
 * the stack and the arguments as they are.
 *
 * <p>Knows only the few x86-64 instructions that functions begin with; with any other, the entry
 * itself is the place.
 */
public final class CheapPlace {
  private static final int RAX = 0;
  private static final int RSP = 4;
  private static final int RBP = 5;
  private static final int FIRST_SCRATCH = 10;
  private static final int MOST_BYTES = 32;

  private final MemorySegment code;
  private int at;

  private CheapPlace(MemorySegment code) {
    this.code = code;
  }

  /** How far behind the entry it is, given the code from there on. */
  public static int of(MemorySegment code) {
    return new CheapPlace(code).find();
  }

  /** Whether a function does nothing but go to another one. */
  public static boolean jumpsOn(MemorySegment code) {
    CheapPlace start = new CheapPlace(code);
    start.at = start.isEndbr() ? 4 : 0;
    return start.peek(0) == 0xe9 || start.peek(0) == 0xeb;
  }

  private int find() {
    while (at < MOST_BYTES) {
      if (isCarriedOut()) {
        return at;
      }
      int length = harmlessLength();
      if (length == 0) {
        return 0;
      }
      at += length;
    }
    return 0;
  }

  private int peek(int offset) {
    return at + offset < code.byteSize()
        ? Byte.toUnsignedInt(code.get(JAVA_BYTE, at + offset))
        : 0xf4; // hlt, which no function has
  }

  /** Whether the kernel does the instruction at hand itself. */
  private boolean isCarriedOut() {
    int first = peek(0);
    int opcode = first == 0x41 ? peek(1) : first;
    if (opcode >= 0x50 && opcode <= 0x57) {
      return true; // push
    }
    boolean isNearJump = first == 0x0f && peek(1) >= 0x80 && peek(1) <= 0x8f;
    return first >= 0x70 && first <= 0x7f || isNearJump || first == 0x90;
  }

  private boolean isEndbr() {
    return peek(0) == 0xf3 && peek(1) == 0x0f && peek(2) == 0x1e && peek(3) == 0xfa;
  }

  /** The length of an instruction that changes no argument and not the stack; 0 if it may. */
  private int harmlessLength() {
    if (isEndbr()) {
      return 4;
    }
    int prefix = peek(0) >= 0x40 && peek(0) <= 0x4f ? peek(0) : 0;
    int start = prefix == 0 ? 0 : 1;
    int opcode = peek(start);
    int operands = peek(start + 1);
    boolean registers = operands >>> 6 == 3;
    int source = operands >>> 3 & 7 | (prefix & 4) << 1;
    int target = operands & 7 | (prefix & 1) << 3;
    return switch (opcode) {
      case 0x84, 0x85, 0x38, 0x39, 0x3a, 0x3b -> registers ? start + 2 : 0; // test, cmp
      case 0x89, 0x31 -> registers && isFree(target) ? start + 2 : 0; // mov, xor
      case 0x8b, 0x33 -> registers && isFree(source) ? start + 2 : 0; // the other way round
      case 0x83 -> registers && (operands >>> 3 & 7) == 7 ? start + 3 : 0; // cmp with a byte
      case 0x81 -> registers && (operands >>> 3 & 7) == 7 ? start + 6 : 0; // cmp with four
      case 0x8d ->
          isFree(source) && isPlain(operands) ? start + 2 + displacement(operands) : 0; // lea
      default -> 0;
    };
  }

  /** An address made of one register and a number. */
  private static boolean isPlain(int operands) {
    int mode = operands >>> 6;
    int base = operands & 7;
    return mode != 3 && base != RSP && !(mode == 0 && base == RBP);
  }

  private static int displacement(int operands) {
    return switch (operands >>> 6) {
      case 1 -> 1;
      case 2 -> 4;
      default -> 0;
    };
  }

  /** Registers that hold no argument, and that unwinding does not need: rax, and r10 on. */
  private static boolean isFree(int register) {
    return register == RAX || register >= FIRST_SCRATCH;
  }
}
