package dev.plumb.bpf.object;

import dev.plumb.bpf.btf.CoreRelocator;
import dev.plumb.bpf.error.BpfException;

/** Puts the answer to a CO-RE relocation into its instruction. */
final class CorePatch {
  private CorePatch() {}

  static void apply(
      long[] code, int at, CoreRelocator.Answer answer, Function function, Poison poison) {
    long insn = code[at];
    boolean memory = Instruction.isMemoryAccess(insn);
    boolean wide = Instruction.isWideLoad(insn);
    if (wide && at + 1 == code.length) {
      throw new BpfException(where(function, at) + " is cut off");
    }
    if (answer.missing() || memory && !answer.resizable()) {
      String what =
          answer.missing() ? answer.what() : answer.what() + " of " + answer.localSize() + " bytes";
      code[at] = poison.call(what);
      if (wide) {
        code[at + 1] = code[at];
      }
    } else if (memory) {
      code[at] = access(insn, answer, function, at);
    } else if (wide) {
      check(
          answer,
          Integer.toUnsignedLong(Instruction.immediate(insn))
              | (long) Instruction.immediate(code[at + 1]) << 32,
          answer.local(),
          function,
          at);
      code[at] = Instruction.withImmediate(insn, (int) answer.value());
      code[at + 1] = Instruction.withImmediate(code[at + 1], (int) (answer.value() >>> 32));
    } else if (Instruction.isImmediateAlu(insn)) {
      check(answer, Instruction.immediate(insn), (int) answer.local(), function, at);
      code[at] = Instruction.withImmediate(insn, (int) answer.value());
    } else {
      throw new BpfException(where(function, at) + " cannot be changed to fit " + answer.what());
    }
  }

  private static long access(long insn, CoreRelocator.Answer answer, Function function, int at) {
    check(answer, Instruction.offset(insn), (int) answer.local(), function, at);
    if (answer.value() < 0 || answer.value() > Short.MAX_VALUE) {
      throw new BpfException(
          where(function, at) + " cannot reach " + answer.what() + " at " + answer.value());
    }
    long changed = Instruction.withOffset(insn, (int) answer.value());
    if (answer.localSize() == answer.size()) {
      return changed;
    }
    if (Instruction.accessSize(insn) != answer.localSize()) {
      throw new BpfException(where(function, at) + " does not access all of " + answer.what());
    }
    changed = Instruction.withAccessSize(changed, answer.size());
    if (changed == 0) {
      throw new BpfException(
          where(function, at) + " cannot access " + answer.size() + " bytes of " + answer.what());
    }
    return changed;
  }

  private static void check(
      CoreRelocator.Answer answer, long found, long expected, Function function, int at) {
    if (answer.checkLocal() && found != expected) {
      throw new BpfException(
          where(function, at)
              + " has "
              + found
              + " where "
              + answer.what()
              + " should give "
              + expected);
    }
  }

  private static String where(Function function, int at) {
    return "function " + function + ": instruction " + at;
  }
}
