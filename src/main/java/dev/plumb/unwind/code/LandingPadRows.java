package dev.plumb.unwind.code;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.unwind.rule.Rows;
import dev.plumb.unwind.rule.RuleNumbers;
import dev.plumb.unwind.rule.UnwindRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rows for the end of the functions in GCC's library that throw exceptions. There they overwrite
 * their own saved registers and return address with those of the catching function, and go to its
 * landing pad. Call-frame information does not describe that. But the place and the stack where
 * execution goes on are in a context among their variables, and the code after the call that
 * overwrites the registers shows where that context is:
 *
 * <pre>
 * e8 …… ……               call
 * 48 or 4c 8b …… …… ……   mov   context.ra(%rbp), any register
 * 48 8b bd …… ……         mov   context.cfa(%rbp), %rdi
 * …
 * 48 89 cc               mov   %rcx, %rsp
 * 59                     pop   %rcx, or c3, ret
 * </pre>
 *
 * For the last two instructions, call-frame information gives the stack, but not that there is no
 * call before a landing pad. Other code is ignored.
 */
public final class LandingPadRows {
  /** Where GCC's _Unwind_Context has the CFA. */
  public static final int CONTEXT_CFA = 18 * 8;

  /** The size of the pattern, from the call on. */
  private static final int PATTERN = 19;

  private static final int MAX_SIZE = 4096;
  private static final int MAX_FUNCTIONS = 64;
  private static final int CALL = 0xe8;
  private static final int INSTRUCTION = 0xff_ffff;
  private static final int LOAD_FROM_RBP = 0x858b48;
  private static final int LOAD_RDI_FROM_RBP = 0xbd8b48;

  /** The bits of an instruction that select the register to load. */
  private static final int LOADED = 0x38_0004;

  /** The stack of the catching function is in rcx: this ends the search. */
  private static final int CFA_RCX = UnwindRule.CFA_REGISTER + 2;

  private static final long AT_RCX =
      new UnwindRule(UnwindRule.CFA_LANDING_AT_RCX, 0, UnwindRule.RBP_SAME, 0).packed();

  /** The last two instructions. */
  private static final int LEAVE_BY_POP = 0x59cc8948;

  private static final int LEAVE_BY_RET = 0xc3cc8948;
  private static final int LEAVE_SIZE = 4;

  private record Landing(int start, int leave, char rule) {}

  private final ElfFile elf;
  private final CodeRange code;
  private final RuleNumbers numbers;
  private final List<Landing> landings = new ArrayList<>();
  private int functions;
  private int lastStart;
  private char lastRule;

  public LandingPadRows(ElfFile elf, CodeRange code, RuleNumbers numbers, Rows described) {
    this.elf = elf;
    this.code = code;
    this.numbers = numbers;
    if (numbers.hasCfa(CFA_RCX)) {
      described.forEach(this::look);
    }
  }

  private void look(int start, char rule) {
    long size = Integer.toUnsignedLong(start) - Integer.toUnsignedLong(lastStart);
    if (UnwindRule.cfa(numbers.rule(rule)) == CFA_RCX
        && UnwindRule.cfa(numbers.rule(lastRule)) == UnwindRule.CFA_RBP
        && size <= MAX_SIZE
        && functions++ < MAX_FUNCTIONS) {
      find(lastStart, (int) size);
    }
    lastStart = start;
    lastRule = rule;
  }

  private void find(int start, int size) {
    byte[] bytes =
        read(code.elfStart() + Integer.toUnsignedLong(start), size + LEAVE_SIZE)
            .filter(read -> leaves(number(read, size)))
            .orElse(new byte[0]);
    for (int at = 0; at + PATTERN <= size && at + PATTERN <= bytes.length; at++) {
      int cfa = number(bytes, at + 15);
      if ((bytes[at] & 0xff) == CALL
          && (number(bytes, at + 5) & INSTRUCTION & ~LOADED) == LOAD_FROM_RBP
          && (number(bytes, at + 12) & INSTRUCTION) == LOAD_RDI_FROM_RBP
          && number(bytes, at + 8) == cfa + 8) {
        long rule =
            new UnwindRule(
                    UnwindRule.CFA_LANDING_IN_CONTEXT,
                    cfa - CONTEXT_CFA,
                    UnwindRule.RBP_UNDEFINED,
                    0)
                .packed();
        landings.add(new Landing(start + at, start + size, numbers.number(rule)));
        return;
      }
    }
  }

  private Optional<byte[]> read(long elfAddress, int size) {
    try {
      return LostPages.guard(elf.name(), () -> code.bytes(elf, elfAddress, size));
    } catch (ElfException e) {
      return Optional.empty(); // treated as other code
    }
  }

  private static boolean leaves(int code) {
    return code == LEAVE_BY_POP || code == LEAVE_BY_RET;
  }

  private static int number(byte[] bytes, int at) {
    return bytes[at] & 0xff
        | (bytes[at + 1] & 0xff) << 8
        | (bytes[at + 2] & 0xff) << 16
        | bytes[at + 3] << 24;
  }

  public boolean isEmpty() {
    return landings.isEmpty();
  }

  public void emit(Rows.Taker sink) {
    for (Landing landing : landings) {
      sink.add(landing.start, landing.rule);
      sink.add(landing.leave, numbers.number(AT_RCX));
      sink.add(landing.leave + LEAVE_SIZE, RuleNumbers.NONE);
    }
  }
}
