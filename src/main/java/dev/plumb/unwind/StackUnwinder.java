package dev.plumb.unwind;

import dev.plumb.unwind.code.LandingPadRows;
import dev.plumb.unwind.rule.Registers;
import dev.plumb.unwind.rule.UnwindEnd;
import dev.plumb.unwind.rule.UnwindRule;
import java.util.BitSet;

/**
 * Unwinds the stack of a thread that is not running: with the tables of its code; where these have
 * no rule, by the frame pointer; else it stops and says why. The kernel side does the same.
 *
 * <p>For one thread at a time; keeps no memory between stacks.
 */
public final class StackUnwinder {
  private static final int RAX = 0;
  private static final int RCX = 2;
  private static final int RDI = 5;
  private static final int RBX = 3;
  private static final int RBP = Registers.RBP;
  private static final int RSP = Registers.RSP;

  /** In a leaf or an interrupted function all registers are known, in a caller only these two. */
  private static final int BOTH = 1 << RBP | 1 << RSP;

  private static final int ALL = (1 << Registers.COUNT) - 1;

  /**
   * Where the ucontext of an rt_sigframe has r8, r9, …: uc_flags, uc_link, uc_stack of 8, 8 and 24
   * bytes come first (arch/x86/include/uapi/asm/sigcontext.h). After the registers comes rip.
   */
  private static final int SIGNAL_REGISTERS = 40;

  private static final int[] SIGNAL_ORDER = {
    8, 9, 10, 11, 12, 13, 14, 15, 5, 4, RBP, 3, 1, 0, 2, RSP
  };

  private static final int PLT_ENTRY = 16;

  /** GCC's _Unwind_Context: where 18 registers were saved, then the CFA and the return address. */
  private static final int CONTEXT_RBP = 6 * 8;

  private static final int CONTEXT_RETURN_ADDRESS = 19 * 8;

  private final StackMemory memory;
  private final LoadedTables tables;
  private final long[] registers = new long[Registers.COUNT];
  private final long[] word = new long[1];
  private long pc;

  /** One bit per known register. */
  private int known;

  /** Where rbx was saved, or 0 if it is in its register. Few frames need it, so it is read late. */
  private long rbxProcessAddress;

  /** Whether pc is a return address, which may be after the end of the calling function. */
  private boolean returned;

  private int frames;

  /** The frames that a signal interrupted; most stacks have none. */
  private final BitSet interrupted = new BitSet();

  public StackUnwinder(StackMemory memory, LoadedTables tables) {
    this.memory = memory;
    this.tables = tables;
  }

  /** How many frames the last stack had. */
  public int frames() {
    return frames;
  }

  /**
   * Whether a frame of the last stack is a return address, so that the call is just before it. Else
   * it is where the thread itself is, or where a signal interrupted it.
   */
  public boolean isReturnAddress(int frame) {
    return frame > 0 && !interrupted.get(frame);
  }

  /**
   * Unwinds a stack, the innermost frame first, as far as there is room. All frames but the first
   * are return addresses, or places where a signal interrupted.
   */
  public UnwindEnd unwind(Registers start, long[] processAddresses) {
    System.arraycopy(start.general(), 0, registers, 0, registers.length);
    known = start.known();
    pc = start.pc();
    returned = false;
    rbxProcessAddress = 0;
    frames = 0;
    interrupted.clear();
    while (frames < processAddresses.length) {
      processAddresses[frames++] = pc;
      UnwindEnd end = step();
      if (end != UnwindEnd.DEPTH) {
        return end;
      }
    }
    return UnwindEnd.DEPTH;
  }

  /** Goes to the caller; returns DEPTH if there is one, else why not. */
  private UnwindEnd step() {
    if ((known & Registers.AT_ENTRY) != 0) {
      return memory.read(registers[RSP], word)
          ? caller(word[0], registers[RSP] + 8, registers[RBP], known & (BOTH | 1 << RBX))
          : UnwindEnd.UNREADABLE;
    }
    long place = returned ? pc - 1 : pc;
    LoadedTable loaded = tables.at(place);
    long rule = loaded.table().packedRuleAt(place - loaded.bias());
    int kind = UnwindRule.cfa(rule);
    return switch (kind) {
      case UnwindRule.CFA_NONE ->
          returned && beginsFunction(loaded) ? UnwindEnd.WHOLE : byFramePointer();
      case UnwindRule.CFA_END -> UnwindEnd.WHOLE;
      case UnwindRule.CFA_UNSUPPORTED -> UnwindEnd.UNSUPPORTED;
      case UnwindRule.CFA_SIGNAL -> fromSignal();
      case UnwindRule.CFA_LANDING_IN_RCX -> toLandingPad();
      case UnwindRule.CFA_LANDING_AT_RCX -> toLandingPadAtRcx();
      case UnwindRule.CFA_LANDING_IN_CONTEXT -> toLandingPad(UnwindRule.cfaOffset(rule));
      case UnwindRule.CFA_RETURN_IN_RDI ->
          (known & 1 << RDI) == 0
              ? UnwindEnd.UNSUPPORTED
              : caller(registers[RDI], registers[RSP], registers[RBP], known & BOTH);
      default -> byRule(rule, kind, loaded.table().followsRbx());
    };
  }

  /** No call returns to a function's start: it is at the bottom of a context made by hand. */
  private boolean beginsFunction(LoadedTable loaded) {
    long rule = loaded.table().packedRuleAt(pc - loaded.bias());
    return UnwindRule.cfa(rule) != UnwindRule.CFA_NONE;
  }

  private UnwindEnd byRule(long rule, int kind, boolean followsRbx) {
    int offset = UnwindRule.cfaOffset(rule);
    int base =
        switch (kind) {
          case UnwindRule.CFA_RSP,
              UnwindRule.CFA_PLT,
              UnwindRule.CFA_ABOVE_WORD_AT_RSP,
              UnwindRule.CFA_CLONED ->
              RSP;
          case UnwindRule.CFA_RBP, UnwindRule.CFA_AT_RBP, UnwindRule.CFA_OTHER_STACK -> RBP;
          default -> kind - UnwindRule.CFA_REGISTER;
        };
    if (base < 0 || base >= Registers.COUNT) {
      return UnwindEnd.UNSUPPORTED;
    }
    if ((known & 1 << base) == 0) {
      return base == RBP ? UnwindEnd.NO_FRAME_POINTER : UnwindEnd.UNSUPPORTED;
    }
    if (base == RBX && rbxProcessAddress != 0) {
      if (!memory.read(rbxProcessAddress, word)) {
        return UnwindEnd.UNREADABLE;
      }
      registers[RBX] = word[0];
      rbxProcessAddress = 0;
    }
    if (kind == UnwindRule.CFA_OTHER_STACK && registers[RBP] == 0
        || kind == UnwindRule.CFA_CLONED && (known & 1 << RAX) != 0 && registers[RAX] == 0) {
      return UnwindEnd.WHOLE;
    }
    long cfa = registers[base] + offset;
    if (kind == UnwindRule.CFA_PLT) {
      cfa = registers[RSP] + (Math.floorMod(pc, PLT_ENTRY) >= offset ? 16 : 8);
    } else if (kind == UnwindRule.CFA_AT_RBP || kind == UnwindRule.CFA_ABOVE_WORD_AT_RSP) {
      if (!memory.read(cfa, word)) {
        return UnwindEnd.UNREADABLE;
      }
      cfa = word[0] + (kind == UnwindRule.CFA_AT_RBP ? 0 : 8);
    }
    return toCaller(rule, cfa, followsRbx ? UnwindRule.rbx(rule) : UnwindRule.RBX_LOST);
  }

  private UnwindEnd toCaller(long rule, long cfa, int rbx) {
    if (Long.compareUnsigned(cfa, registers[RSP]) <= 0
        && UnwindRule.cfa(rule) != UnwindRule.CFA_OTHER_STACK) {
      return UnwindEnd.NO_PROGRESS;
    }
    if (!memory.read(cfa - 8, word)) {
      return UnwindEnd.UNREADABLE;
    }
    long returnAddress = word[0];
    int callersKnown = 1 << RSP | known & 1 << RBP;
    long rbp = registers[RBP];
    switch (UnwindRule.rbp(rule)) {
      case UnwindRule.RBP_SAME -> {}
      case UnwindRule.RBP_AT_CFA, UnwindRule.RBP_AT_RBP -> {
        boolean fromCfa = UnwindRule.rbp(rule) == UnwindRule.RBP_AT_CFA;
        long at = (fromCfa ? cfa : rbp) + UnwindRule.rbpOffset(rule);
        // Callers may not need it: only a rule that needs an unknown register fails.
        boolean read = (fromCfa || (known & 1 << RBP) != 0) && memory.read(at, word);
        rbp = read ? word[0] : 0;
        callersKnown = read ? BOTH : 1 << RSP;
      }
      default -> callersKnown = 1 << RSP;
    }
    if (rbx == 0) {
      callersKnown |= known & 1 << RBX;
    } else if (rbx != UnwindRule.RBX_LOST) {
      callersKnown |= 1 << RBX;
      rbxProcessAddress = cfa - 8L * rbx;
    }
    return caller(returnAddress, cfa, rbp, callersKnown);
  }

  private UnwindEnd byFramePointer() {
    if ((known & 1 << RBP) == 0) {
      return UnwindEnd.NO_FRAME_POINTER;
    }
    long rbp = registers[RBP];
    if (rbp == 0) {
      return UnwindEnd.WHOLE;
    }
    if (Long.compareUnsigned(rbp, registers[RSP]) < 0) {
      return UnwindEnd.NO_FRAME_POINTER;
    }
    if (!memory.read(rbp, word)) {
      return UnwindEnd.UNREADABLE;
    }
    long callersRbp = word[0];
    if (!memory.read(rbp + 8, word)) {
      return UnwindEnd.UNREADABLE;
    }
    return caller(word[0], rbp + 16, callersRbp, BOTH);
  }

  private UnwindEnd caller(long returnAddress, long sp, long rbp, int callersKnown) {
    if (returnAddress == 0) {
      return UnwindEnd.WHOLE;
    }
    pc = returnAddress;
    registers[RSP] = sp;
    registers[RBP] = rbp;
    known = callersKnown;
    returned = true;
    return UnwindEnd.DEPTH;
  }

  private UnwindEnd toLandingPad() {
    if ((known & 1 << RCX) == 0) {
      return UnwindEnd.UNSUPPORTED;
    }
    return toLandingPad(registers[RCX], registers[RSP], registers[RBP], known & BOTH);
  }

  /** The same, two instructions earlier. */
  private UnwindEnd toLandingPadAtRcx() {
    if ((known & 1 << RCX) == 0) {
      return UnwindEnd.UNSUPPORTED;
    }
    return memory.read(registers[RCX], word)
        ? toLandingPad(word[0], registers[RCX] + 8, registers[RBP], known & BOTH)
        : UnwindEnd.UNREADABLE;
  }

  /** The same before rcx is set, by the context of GCC's library at rbp + offset. */
  private UnwindEnd toLandingPad(int offset) {
    if ((known & 1 << RBP) == 0) {
      return UnwindEnd.NO_FRAME_POINTER;
    }
    long context = registers[RBP] + offset;
    if (!memory.read(context + CONTEXT_RETURN_ADDRESS, word)) {
      return UnwindEnd.UNREADABLE;
    }
    long landingPad = word[0];
    if (!memory.read(context + LandingPadRows.CONTEXT_CFA, word)) {
      return UnwindEnd.UNREADABLE;
    }
    long sp = word[0];
    if (Long.compareUnsigned(sp, registers[RSP]) <= 0) {
      return UnwindEnd.NO_PROGRESS;
    }
    boolean read = memory.read(context + CONTEXT_RBP, word) && memory.read(word[0], word);
    return toLandingPad(landingPad, sp, word[0], read ? BOTH : 1 << RSP);
  }

  private UnwindEnd toLandingPad(long address, long sp, long rbp, int itsKnown) {
    UnwindEnd end = caller(address, sp, rbp, itsKnown);
    returned = false;
    interrupted.set(frames);
    return end;
  }

  /** Goes to what a signal interrupted: all registers are known, and the stack may be another. */
  private UnwindEnd fromSignal() {
    long at = registers[RSP] + SIGNAL_REGISTERS;
    for (int register : SIGNAL_ORDER) {
      if (!memory.read(at, word)) {
        return UnwindEnd.UNREADABLE;
      }
      registers[register] = word[0];
      at += 8;
    }
    if (!memory.read(at, word)) {
      return UnwindEnd.UNREADABLE;
    }
    known = ALL;
    rbxProcessAddress = 0;
    pc = word[0];
    returned = false;
    interrupted.set(frames);
    return pc == 0 ? UnwindEnd.WHOLE : UnwindEnd.DEPTH;
  }
}
