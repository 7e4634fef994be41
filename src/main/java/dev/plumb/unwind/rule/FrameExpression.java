package dev.plumb.unwind.rule;

import dev.plumb.dwarf.cfi.FrameRow;

/**
 * Recognizes the few DWARF expressions that occur in rows in practice. It compares what an
 * expression means, not how it is written.
 */
final class FrameExpression {
  static final int RBP = 6;
  static final int RSP = 7;
  static final int RIP = 16;

  /** The result of {@link #pltPush} if the expression is not such a one. */
  static final int NO_PLT = -1;

  private static final int MAX_LENGTH = 64;
  private static final int MAX_DEPTH = 8;
  private static final int DEREF = 0x06;
  private static final int PLUS_UCONST = 0x23;
  private static final int BREG0 = 0x70;

  private final byte[] bytes = new byte[MAX_LENGTH];
  private final long[] stack = new long[MAX_DEPTH];
  private int length;
  private int at;
  private boolean dereferences;
  private int baseRegister;
  private long baseOffset;
  private long added;

  /** Takes the expression of a register or of the CFA. */
  FrameExpression of(FrameRow row, int register) {
    length = row.expression(register, bytes);
    baseRegister = -1;
    dereferences = false;
    if (length <= MAX_LENGTH) {
      readSimple();
    } else {
      length = 0;
    }
    return this;
  }

  /** Whether it is register + offset. */
  boolean isRegister(int register) {
    return baseRegister == register && !dereferences;
  }

  /** Whether it is the word at register + offset. */
  boolean isWordAt(int register) {
    return baseRegister == register && dereferences && added == 0;
  }

  /** Whether it is the word at register + offset, plus something. */
  boolean isWordAt(int register, int plus) {
    return baseRegister == register && dereferences && added == plus;
  }

  long offset() {
    return baseOffset;
  }

  /** A base register, additions, perhaps one dereference, additions to that. */
  private void readSimple() {
    at = 0;
    int operation = next();
    if (operation < BREG0 || operation >= BREG0 + 32) {
      return;
    }
    long offset = sleb();
    boolean reads = false;
    long behind = 0;
    while (at < length) {
      operation = next();
      if (operation == PLUS_UCONST) {
        long more = uleb();
        offset += reads ? 0 : more;
        behind += reads ? more : 0;
      } else if (operation == DEREF && !reads) {
        reads = true;
      } else {
        return;
      }
    }
    if (at == length) {
      baseRegister = bytes[0] - BREG0;
      baseOffset = offset;
      dereferences = reads;
      added = behind;
    }
  }

  /**
   * If the expression is rsp + 8 + 8 * (rip % 16 >= n), returns this n, which is where in each 16
   * bytes of a PLT the push is done; else {@link #NO_PLT}. It evaluates the expression for some
   * stack pointers and all places in a PLT's entry.
   */
  int pltPush() {
    int push = NO_PLT;
    for (int round = 0; round < 2; round++) {
      long rsp = round == 0 ? 0x7ffd_1234_5670L : 0x10_0008L;
      long rip = round == 0 ? 0x5555_5555_4020L : 0x7fff_ffff_fff0L;
      int found = 16;
      for (int i = 15; i >= 0; i--) {
        if (!evaluate(rsp, rip + i)) {
          return NO_PLT;
        }
        long added = stack[0] - rsp;
        if (added == 16 && found == i + 1) {
          found = i;
        } else if (added != 8) {
          return NO_PLT;
        }
      }
      if (found == 16 || round == 1 && found != push) {
        return NO_PLT;
      }
      push = found;
    }
    return push;
  }

  /** Evaluates to the only place of the stack; false if that is impossible. */
  private boolean evaluate(long rsp, long rip) {
    int depth = 0;
    at = 0;
    while (at < length) {
      int operation = next();
      if (operation >= 0x1a && operation <= 0x2e && operation != PLUS_UCONST) {
        if (depth < 2) {
          return false;
        }
        depth--;
        if (!combine(operation, depth - 1)) {
          return false;
        }
        continue;
      }
      if (operation == PLUS_UCONST) {
        if (depth == 0) {
          return false;
        }
        stack[depth - 1] += uleb();
        continue;
      }
      if (depth == MAX_DEPTH || !constantOrRegister(operation, depth, rsp, rip)) {
        return false;
      }
      depth++;
    }
    return depth == 1 && at == length;
  }

  private boolean constantOrRegister(int operation, int place, long rsp, long rip) {
    if (operation >= 0x30 && operation <= 0x4f) {
      stack[place] = operation - 0x30;
      return true;
    }
    switch (operation) {
      case BREG0 + RSP -> stack[place] = rsp + sleb();
      case BREG0 + RIP -> stack[place] = rip + sleb();
      case 0x08 -> stack[place] = next(); // DW_OP_const1u
      case 0x09 -> stack[place] = (byte) next(); // DW_OP_const1s
      case 0x10 -> stack[place] = uleb(); // DW_OP_constu
      case 0x11 -> stack[place] = sleb(); // DW_OP_consts
      default -> {
        return false;
      }
    }
    return true;
  }

  private boolean combine(int operation, int place) {
    long left = stack[place];
    long right = stack[place + 1];
    switch (operation) {
      case 0x1a -> stack[place] = left & right;
      case 0x1c -> stack[place] = left - right;
      case 0x1e -> stack[place] = left * right;
      case 0x21 -> stack[place] = left | right;
      case 0x22 -> stack[place] = left + right;
      case 0x24 -> stack[place] = right < 0 || right > 63 ? 0 : left << right;
      case 0x25 -> stack[place] = right < 0 || right > 63 ? 0 : left >>> right;
      case 0x27 -> stack[place] = left ^ right;
      case 0x29 -> stack[place] = left == right ? 1 : 0;
      case 0x2a -> stack[place] = left >= right ? 1 : 0;
      case 0x2b -> stack[place] = left > right ? 1 : 0;
      case 0x2c -> stack[place] = left <= right ? 1 : 0;
      case 0x2d -> stack[place] = left < right ? 1 : 0;
      case 0x2e -> stack[place] = left != right ? 1 : 0;
      default -> {
        return false;
      }
    }
    return true;
  }

  /** The next byte; beyond the end, an unknown operation, so that {@code at} no longer matches. */
  private int next() {
    return at < length ? bytes[at++] & 0xff : at++ & 0;
  }

  private long uleb() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = next();
      value |= (next & 0x7fL) << shift;
      if (next < 0x80) {
        break;
      }
    }
    return value;
  }

  private long sleb() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = next();
      value |= (next & 0x7fL) << shift;
      if (next < 0x80) {
        int unused = 64 - shift - 7;
        return unused <= 0 ? value : value << unused >> unused;
      }
    }
    return value;
  }
}
