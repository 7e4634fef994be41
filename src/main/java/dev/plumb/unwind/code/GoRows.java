package dev.plumb.unwind.code;

import dev.plumb.elf.ElfBytes;
import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.unwind.rule.Rows;
import dev.plumb.unwind.rule.RuleNumbers;
import dev.plumb.unwind.rule.UnwindRule;
import java.util.Arrays;
import java.util.Optional;

/**
 * Rows of a Go program's functions, from Go's own table. It covers what {@code .debug_frame}, if
 * there is one, lacks: some functions of the runtime, which the table marks, switch stacks in the
 * middle and find their caller by rbp from there on; and the return from signal handlers.
 */
public final class GoRows {
  private static final int TOP = 1;
  private static final int SETS_STACK_POINTER = 2;
  private static final int ASSEMBLER = 4;
  private static final int MAX_DEPTH = 1 << 30;

  /** For all functions together; a real function has a few. */
  private static final int MAX_STEPS = 1 << 24;

  private static final int MAX_SPECIAL = 4096;
  private static final int PIECE = 64;

  /** mov $15, %rax; syscall. */
  private static final byte[] SIGNAL_RETURN = {0x48, (byte) 0xc7, (byte) 0xc0, 15, 0, 0, 0, 15, 5};

  private final ElfFile elf;
  private final CodeRange code;
  private final RuleNumbers numbers;
  private final int maxRows;
  private final Optional<GoStackTable> program;
  private final X86Instruction instruction = new X86Instruction();
  private final byte[] piece = new byte[PIECE];
  private long nextPiece;
  private int filled;
  private int at;
  private int steps;
  private int rows;

  public GoRows(ElfFile elf, CodeRange code, RuleNumbers numbers, int maxRows) {
    this.elf = elf;
    this.code = code;
    this.numbers = numbers;
    this.maxRows = maxRows;
    this.program = find(elf);
  }

  private static Optional<GoStackTable> find(ElfFile elf) {
    try {
      return LostPages.guard(elf.name(), () -> GoStackTable.of(elf));
    } catch (ElfException e) {
      return Optional.empty();
    }
  }

  public boolean isEmpty() {
    return program.isEmpty();
  }

  public void emit(Rows.Taker sink) {
    steps = 0;
    rows = 0;
    try {
      LostPages.guard(
          elf.name(),
          () -> {
            emit(program.orElseThrow(), sink);
            return sink;
          });
    } catch (ElfException e) {
      return; // a damaged table is used up to the damage
    }
  }

  private void emit(GoStackTable go, Rows.Taker sink) {
    long end = code.elfStart();
    for (int i = 0; i < go.count() && rows < maxRows && steps < MAX_STEPS; i++) {
      long start = go.elfAddress(i);
      long next = go.elfAddress(i + 1);
      // Addresses must ascend, or the table is damaged.
      if (start < end || !code.contains(start, next)) {
        continue;
      }
      end = next;
      function(go, i, start, next, sink);
      // Handlers return to the first instruction of sigreturn, and callers are looked up one byte
      // before the return address: so its row starts one byte early, as the C library's does.
      boolean wayBack = i + 1 < go.count() && isSignalReturn(go, i + 1);
      add(sink, wayBack ? next - 1 : next, wayBack ? signal() : RuleNumbers.NONE);
    }
  }

  private void function(GoStackTable go, int i, long start, long next, Rows.Taker sink) {
    int flags = go.flags(i);
    if ((flags & TOP) != 0 && !isHandler(go.name(i)) || start == elf.entryPoint()) {
      add(sink, start, rule(UnwindRule.CFA_END, 0, UnwindRule.RBP_UNDEFINED, 0));
    } else if (isSignalReturn(go, i)) {
      add(sink, start, signal());
    } else {
      boolean switches = (flags & SETS_STACK_POINTER) != 0;
      long stop = switches ? firstSwitch(start, next) : next;
      depths(go, i, start, stop, sink);
      if (switches && stop < next) {
        add(sink, stop, rule(UnwindRule.CFA_OTHER_STACK, 16, UnwindRule.RBP_AT_CFA, -16));
      }
    }
  }

  private char signal() {
    return rule(UnwindRule.CFA_SIGNAL, 0, UnwindRule.RBP_UNDEFINED, 0);
  }

  /**
   * Whether the kernel calls it on a signal: Go's table calls it outermost, but the stack goes on.
   */
  private static boolean isHandler(String name) {
    return name.startsWith("runtime.sigtramp") || name.startsWith("runtime.cgoSigtramp");
  }

  private void add(Rows.Taker sink, long elfAddress, char rule) {
    rows++;
    sink.add(code.offset(elfAddress), rule);
  }

  private char rule(int cfa, int offset, int rbp, int rbpOffset) {
    return numbers.number(new UnwindRule(cfa, offset, rbp, rbpOffset).packed());
  }

  /**
   * Pairs of differences: of the depth (zigzag, it starts at -1) and of the address where it ends.
   */
  private void depths(GoStackTable go, int function, long start, long stop, Rows.Taker sink) {
    long table = go.depths(function);
    if (table == 0) {
      return;
    }
    nextPiece = table;
    filled = 0;
    at = 0;
    int depth = -1;
    long from = start;
    for (boolean first = true; from < stop && steps < MAX_STEPS; first = false) {
      steps++;
      int difference = varint(go.pcTables());
      if (difference == 0 && !first) {
        return;
      }
      depth += -(difference & 1) ^ difference >>> 1;
      add(sink, from, depthRule(depth));
      from += Integer.toUnsignedLong(varint(go.pcTables()));
    }
  }

  /** The rule for a stack depth: the saved rbp comes first in a frame. */
  private char depthRule(int depth) {
    if (depth < 0 || depth > MAX_DEPTH) {
      return RuleNumbers.NONE;
    }
    return depth == 0
        ? rule(UnwindRule.CFA_RSP, 8, UnwindRule.RBP_SAME, 0)
        : rule(UnwindRule.CFA_RSP, depth + 8, UnwindRule.RBP_AT_CFA, -16);
  }

  private int varint(ElfBytes tables) {
    int value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == filled) {
        filled = (int) Math.min(PIECE, tables.size() - nextPiece);
        if (filled <= 0) {
          throw new ElfException("Go's table: a pc table does not end");
        }
        tables.copy(nextPiece, piece, filled);
        nextPiece += filled;
        at = 0;
      }
      byte b = piece[at++];
      value |= shift < 32 ? (b & 0x7f) << shift : 0;
      if (b >= 0) {
        return value;
      }
    }
    throw new ElfException("Go's table: a number does not end");
  }

  /** The end of the first instruction that sets the stack pointer or that cannot be decoded. */
  private long firstSwitch(long start, long next) {
    byte[] bytes = bytes(start, (int) Math.min(next - start, MAX_SPECIAL));
    for (int place = 0; place < bytes.length; ) {
      X86Instruction.Effect effect = instruction.read(bytes, place, bytes.length);
      if (effect == X86Instruction.Effect.OTHER) {
        return start + Math.min(instruction.end(), bytes.length);
      }
      place = instruction.end();
    }
    return next;
  }

  private boolean isSignalReturn(GoStackTable go, int function) {
    long start = go.elfAddress(function);
    long size = go.elfAddress(function + 1) - start;
    return size <= PIECE
        && size >= SIGNAL_RETURN.length
        && (go.flags(function) & ASSEMBLER) != 0
        && Arrays.equals(bytes(start, SIGNAL_RETURN.length), SIGNAL_RETURN);
  }

  private byte[] bytes(long elfAddress, int size) {
    return code.bytes(elf, elfAddress, size)
        .orElseThrow(() -> new ElfException("Go's table: a function outside the code"));
  }
}
