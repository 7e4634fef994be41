package dev.plumb.unwind.code;

/**
 * Decodes where an x86-64 instruction ends and what it does to the stack pointer, as far as is
 * needed to follow plain compiled code. Everything else is {@link Effect#OTHER}.
 */
final class X86Instruction {
  /** What it does. */
  enum Effect {
    /** Does not change the stack pointer; calls are included. */
    NONE,
    /** Moves the stack pointer down by {@link #amount} bytes, or up if that is negative. */
    MOVE,
    PUSH_RBP,
    POP_RBP,
    /** Makes rbp the frame pointer. */
    SET_RBP,
    LEAVE,
    /** Continues at {@link #target} or at the next instruction. */
    BRANCH,
    /** Continues at {@link #target}. */
    JUMP,
    /** Leaves the function. */
    RETURN,
    /** Execution does not continue from here. */
    TRAP,
    /** Unknown, or does something to the stack pointer that cannot be followed. */
    OTHER
  }

  /**
   * What follows a one-byte opcode: m a ModRM byte; i that and a byte; I that and a word; b a byte;
   * d a word; n nothing; . is handled separately, or unknown. A word has four bytes, or two after a
   * 66 prefix.
   */
  private static final String ONE_BYTE =
      "mmmmbd..mmmmbd.." // 00
          + "mmmmbd..mmmmbd.." // 10
          + "mmmmbd..mmmmbd.." // 20
          + "mmmmbd..mmmmbd.." // 30
          + "................" // 40
          + "................" // 50
          + "...m.....I.i...." // 60
          + "................" // 70
          + "iI.immmmmmmmmmm." // 80
          + "nnnnnnnnnn......" // 90
          + "....nnnnbdnnnnnn" // a0
          + "bbbbbbbb........" // b0
          + "ii....iI........" // c0
          + "mmmm....mmmmmmmm" // d0
          + "................" // e0
          + "........nnnnnnm."; // f0

  /** The same for opcodes after 0f. */
  private static final String TWO_BYTES =
      "................" // 00
          + "mmmmmmmmmmmmmmmm" // 10
          + "........mmmmmmmm" // 20
          + ".n.............." // 30
          + "mmmmmmmmmmmmmmmm" // 40
          + "mmmmmmmmmmmmmmmm" // 50
          + "mmmmmmmmmmmmmmmm" // 60
          + "iiiimmmn....mmmm" // 70
          + "................" // 80
          + "mmmmmmmmmmmmmmmm" // 90
          + "..nmim.....mimmm" // a0
          + "mmmmmmmmmmimmmmm" // b0
          + "mmimiiimnnnnnnnn" // c0
          + "mmmmmmmmmmmmmmmm" // d0
          + "mmmmmmmmmmmmmmmm" // e0
          + "mmmmmmmmmmmmmmmm"; // f0

  private static final int RSP = 4;
  private static final int RBP = 5;

  private byte[] bytes = {};
  private int at;
  private int limit;
  private int rex;
  private boolean shortWord;
  private int end;
  private int amount;
  private int target;

  /** Where the next instruction starts. */
  int end() {
    return end;
  }

  int amount() {
    return amount;
  }

  int target() {
    return target;
  }

  /** Reads the instruction at a place; it must end at {@code stop} at the latest. */
  Effect read(byte[] code, int start, int stop) {
    bytes = code;
    at = start;
    limit = stop;
    rex = 0;
    shortWord = false;
    Effect effect = decode();
    end = at;
    return at > limit ? Effect.OTHER : effect;
  }

  private int next() {
    return at < limit ? bytes[at++] & 0xff : past();
  }

  private int past() {
    at = limit + 1;
    return 0;
  }

  private int word() {
    int low = next() | next() << 8;
    return low | next() << 16 | next() << 24;
  }

  private Effect decode() {
    int op = next();
    while (op == 0x66 || op == 0xf2 || op == 0xf3 || op == 0x2e || op == 0x3e || op == 0x64) {
      shortWord |= op == 0x66;
      op = next();
    }
    if (op >> 4 == 4) {
      rex = op;
      op = next();
    }
    if (op == 0x0f) {
      return twoBytes();
    }
    return switch (op) {
      case 0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57 ->
          op == 0x55 && !has(1) ? Effect.PUSH_RBP : moved(8);
      case 0x58, 0x59, 0x5a, 0x5b, 0x5d, 0x5e, 0x5f ->
          op == 0x5d && !has(1) ? Effect.POP_RBP : moved(-8);
      case 0x5c -> has(1) ? moved(-8) : Effect.OTHER;
      case 0x68 -> skip(4, moved(8));
      case 0x6a -> skip(1, moved(8));
      case 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77 -> near(Effect.BRANCH);
      case 0x78, 0x79, 0x7a, 0x7b, 0x7c, 0x7d, 0x7e, 0x7f -> near(Effect.BRANCH);
      case 0xb8, 0xb9, 0xba, 0xbb, 0xbc, 0xbd, 0xbe, 0xbf ->
          op == 0xbc && !has(1) ? Effect.OTHER : skip(has(8) ? 8 : shortWord ? 2 : 4, Effect.NONE);
      case 0xc3 -> Effect.RETURN;
      case 0xf4 -> Effect.TRAP;
      case 0xc4, 0xc5 -> vector(op);
      case 0xc9 -> Effect.LEAVE;
      case 0xe8 -> skip(4, Effect.NONE);
      case 0xe9 -> far(Effect.JUMP);
      case 0xeb -> near(Effect.JUMP);
      case 0xf6, 0xf7 -> test(op);
      case 0xff -> indirect();
      default -> plain(op, ONE_BYTE.charAt(op));
    };
  }

  private boolean has(int rexBit) {
    return (rex & rexBit) != 0;
  }

  private Effect moved(int by) {
    amount = by;
    return shortWord ? Effect.OTHER : Effect.MOVE;
  }

  private Effect skip(int count, Effect effect) {
    at += count;
    return effect;
  }

  private Effect near(Effect effect) {
    int distance = (byte) next();
    target = at + distance;
    return effect;
  }

  private Effect far(Effect effect) {
    int distance = word();
    target = at + distance;
    return effect;
  }

  private Effect twoBytes() {
    int op = next();
    if (op == 0x05) {
      return Effect.NONE;
    }
    if (op == 0x0b) {
      return Effect.TRAP;
    }
    if (op >> 4 == 8) {
      return far(Effect.BRANCH);
    }
    if (op == 0x38 || op == 0x3a) {
      next();
      modRm();
      return skip(op == 0x3a ? 1 : 0, Effect.NONE);
    }
    char kind = TWO_BYTES.charAt(op);
    if (kind == '.') {
      return Effect.OTHER;
    }
    if (kind == 'n') {
      return Effect.NONE;
    }
    int modRm = modRm();
    boolean writesRegister = op >> 4 == 4 || op == 0xaf || op >= 0xb6 && op <= 0xbf;
    boolean stack = writesRegister && (modRm >> 3 & 7) == RSP && !has(4);
    return skip(kind == 'i' ? 1 : 0, stack ? Effect.OTHER : Effect.NONE);
  }

  private Effect vector(int prefix) {
    int first = next();
    int map = prefix == 0xc5 ? 1 : first & 0x1f;
    if (prefix == 0xc4) {
      next();
    }
    int op = next();
    if (map == 1 && op == 0x77) {
      return Effect.NONE;
    }
    modRm();
    boolean immediate = map == 3 || map == 1 && TWO_BYTES.charAt(op) == 'i';
    return skip(immediate ? 1 : 0, map >= 1 && map <= 3 ? Effect.NONE : Effect.OTHER);
  }

  private Effect test(int op) {
    int modRm = modRm();
    if ((modRm >> 3 & 7) < 2) {
      at += op == 0xf6 ? 1 : shortWord ? 2 : 4;
    }
    return isStackPointer(modRm) ? Effect.OTHER : Effect.NONE;
  }

  private Effect indirect() {
    int modRm = modRm();
    return switch (modRm >> 3 & 7) {
      case 2 -> Effect.NONE;
      case 4 -> Effect.RETURN;
      case 6 -> moved(8);
      default -> isStackPointer(modRm) ? Effect.OTHER : Effect.NONE;
    };
  }

  private Effect plain(int op, char kind) {
    switch (kind) {
      case 'n':
        return Effect.NONE;
      case 'b':
        return skip(1, Effect.NONE);
      case 'd':
        return skip(shortWord ? 2 : 4, Effect.NONE);
      case 'm', 'i', 'I':
        return withModRm(op, kind);
      default:
        return Effect.OTHER;
    }
  }

  private Effect withModRm(int op, char kind) {
    int modRm = modRm();
    int register = modRm >> 3 & 7;
    int immediate = 0;
    if (kind == 'i') {
      immediate = (byte) next();
    } else if (kind == 'I') {
      immediate = shortWord ? next() | next() << 8 : word();
    }
    if ((op == 0x81 || op == 0x83) && isStackPointer(modRm) && has(8)) {
      return switch (register) {
        case 0 -> moved(-immediate);
        case 5 -> moved(immediate);
        case 7 -> Effect.NONE;
        default -> Effect.OTHER;
      };
    }
    if (op == 0x89 && modRm == 0xe5 && rex == 0x48) {
      return Effect.SET_RBP;
    }
    boolean toRegister = op == 0x63 || op == 0x69 || op == 0x6b || op == 0x8d || (op & 2) != 0;
    boolean compares = (op & 0xf8) == 0x38 || op == 0x84 || op == 0x85;
    boolean stack = toRegister ? register == RSP && !has(4) : isStackPointer(modRm);
    return stack && !compares ? Effect.OTHER : Effect.NONE;
  }

  /** Whether the operand is the stack pointer itself, not memory. */
  private boolean isStackPointer(int modRm) {
    return modRm >> 6 == 3 && (modRm & 7) == RSP && !has(1);
  }

  /** Reads the byte and skips what belongs to it. */
  private int modRm() {
    int modRm = next();
    int mod = modRm >> 6;
    int base = modRm & 7;
    if (mod != 3) {
      if (base == RSP) {
        base = next() & 7;
      }
      if (mod == 1) {
        at++;
      } else if (mod == 2 || base == RBP) {
        at += 4;
      }
    }
    return modRm;
  }
}
