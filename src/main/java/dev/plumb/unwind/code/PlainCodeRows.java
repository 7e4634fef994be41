package dev.plumb.unwind.code;

import dev.plumb.elf.ElfException;
import dev.plumb.elf.ElfFile;
import dev.plumb.elf.LostPages;
import dev.plumb.unwind.rule.Rows;
import dev.plumb.unwind.rule.RuleNumbers;
import dev.plumb.unwind.rule.UnwindRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows for undescribed code between described functions: {@code main} of Rust programs that abort
 * on panic, the C library's return from clone, {@code _init}. Such code is small and plain, so its
 * instructions show where the return address is. Code that cannot be followed gets no rows, and
 * neither does anything after it up to the next described function.
 */
public final class PlainCodeRows {
  /** Larger gaps were left undescribed on purpose. */
  private static final int MAX_GAP = 1024;

  private static final int MAX_GAPS = 4096;

  /** How compilers align functions. */
  private static final int ALIGNMENT = 16;

  /**
   * The part of glibc's clone and clone3 that is undescribed, because two threads return from it,
   * one of them on a new stack: {@code syscall; test %rax,%rax; jl; je; ret}. rax says which one it
   * is.
   */
  private static final byte[] CLONE = {0x0f, 0x05, 0x48, (byte) 0x85, (byte) 0xc0, 0x7c};

  private static final long RETURNING =
      new UnwindRule(UnwindRule.CFA_RSP, 8, UnwindRule.RBP_SAME, 0).packed();
  private static final long CLONED =
      new UnwindRule(UnwindRule.CFA_CLONED, 8, UnwindRule.RBP_SAME, 0).packed();

  private record Gap(int start, byte[] bytes) {}

  private final RuleNumbers numbers;
  private final List<Gap> gaps = new ArrayList<>();
  private final PlainFunction function = new PlainFunction();

  public PlainCodeRows(ElfFile elf, CodeRange code, RuleNumbers numbers, Rows described) {
    this.numbers = numbers;
    try {
      LostPages.guard(
          elf.name(),
          () -> {
            find(elf, code, described);
            return gaps;
          });
    } catch (ElfException e) {
      gaps.clear(); // treated as if there were none
    }
  }

  private void find(ElfFile elf, CodeRange code, Rows described) {
    boolean someIsDescribed =
        described.forEachGap(
            code.elfEnd() - code.elfStart(),
            (start, end) -> {
              long size = end - start;
              boolean fits = size > 1 && size <= MAX_GAP && gaps.size() < MAX_GAPS;
              if (fits && !isUsual(code.elfStart() + end, size)) {
                read(elf, code, code.elfStart() + start, (int) size);
              }
            });
    if (!someIsDescribed) {
      gaps.clear(); // it was left undescribed on purpose
    }
  }

  private void read(ElfFile elf, CodeRange code, long elfAddress, int size) {
    code.bytes(elf, elfAddress, size)
        .filter(bytes -> padded(bytes, 0) < size)
        .ifPresent(bytes -> gaps.add(new Gap(code.offset(elfAddress), bytes)));
  }

  /**
   * Whether a gap is too small for an aligned function. There is such padding before nearly every
   * function; reading all of it would bring all of the file's code into memory.
   */
  private static boolean isUsual(long elfEnd, long size) {
    return size < ALIGNMENT && elfEnd % ALIGNMENT == 0;
  }

  public boolean isEmpty() {
    return gaps.isEmpty();
  }

  public void emit(Rows.Taker sink) {
    for (Gap gap : gaps) {
      int at = 0;
      while (at < gap.bytes.length) {
        at = function(gap, padded(gap.bytes, at), sink);
      }
      sink.add(gap.start + gap.bytes.length, RuleNumbers.NONE);
    }
  }

  /** The end of padding: {@code nop} of any length, {@code int3}, zeros. */
  private static int padded(byte[] bytes, int from) {
    int at = from;
    for (int next = behind(bytes, at); next > at; next = behind(bytes, at)) {
      at = next;
    }
    return at;
  }

  /** The end of one such instruction; the same place if it is another instruction. */
  private static int behind(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && (bytes[at] == 0x66 || bytes[at] == 0x2e)) {
      at++; // prefixes that make it longer
    }
    int opcode = at < bytes.length ? bytes[at] & 0xff : -1;
    if (opcode == 0x90 || at == from && (opcode == 0xcc || opcode == 0)) {
      return at + 1;
    }
    boolean isLong = opcode == 0x0f && at + 2 < bytes.length && bytes[at + 1] == 0x1f;
    int end = isLong ? at + 3 + operand(bytes[at + 2]) : from;
    return end <= bytes.length ? end : from;
  }

  /** The bytes after the ModRM byte of a memory operand: SIB, and a displacement of 0, 1 or 4. */
  private static int operand(byte modRm) {
    int distance = (modRm & 0xc0) == 0x40 ? 1 : (modRm & 0xc0) == 0x80 ? 4 : 0;
    return distance + ((modRm & 7) == 4 ? 1 : 0);
  }

  private static boolean isAt(byte[] bytes, int start, byte[] wanted) {
    return start + wanted.length <= bytes.length
        && Arrays.equals(bytes, start, start + wanted.length, wanted, 0, wanted.length);
  }

  /** Emits a function's rows if it can be followed; returns where the next one starts. */
  private int function(Gap gap, int start, Rows.Taker sink) {
    int end = function.follow(gap.bytes, start);
    if (end < 0) {
      return gap.bytes.length;
    }
    boolean clones = isAt(gap.bytes, start, CLONE);
    for (int i = 0; i < function.rows(); i++) {
      long rule = function.rule(i);
      sink.add(
          gap.start + function.start(i),
          numbers.number(clones && rule == RETURNING ? CLONED : rule));
    }
    sink.add(gap.start + end, RuleNumbers.NONE);
    return end;
  }
}
