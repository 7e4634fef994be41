package dev.plumb.collect.probe;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where registers are in the struct pt_regs that a program gets. */
final class PtRegs {
  static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

  /** x86-64: the order of struct pt_regs; 8 bytes each. */
  private static final List<String> X86 =
      List.of(
          "r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si",
          "di", "orig_ax", "ip", "cs", "flags", "sp", "ss");

  /** System V's order of arguments. */
  private static final List<String> X86_ARGUMENTS = List.of("di", "si", "dx", "cx", "r8", "r9");

  /** The kernel's own system calls aside, the fourth argument is in cx. */
  private static final Map<String, Integer> X86_NAMES = x86Names();

  private PtRegs() {}

  private static Map<String, Integer> x86Names() {
    Map<String, Integer> names = new HashMap<>();
    for (int i = 0; i < X86.size(); i++) {
      String name = X86.get(i);
      int offset = 8 * i;
      if (name.startsWith("r")) {
        List.of("", "d", "w", "b").forEach(suffix -> names.put(name + suffix, offset));
      } else {
        names.put("r" + name, offset);
        names.put("e" + name, offset);
        names.put(name, offset);
        if (name.endsWith("x")) {
          names.put(name.charAt(0) + "l", offset);
        } else {
          names.put(name + "l", offset);
        }
      }
    }
    return names;
  }

  /** The offset of a register by its assembler name, without {@code %}. */
  static Optional<Integer> x86(String name) {
    return Optional.ofNullable(X86_NAMES.get(name));
  }

  /** {@code x0} … {@code x30}, {@code w0} …, {@code sp}. */
  static Optional<Integer> arm(String name) {
    if (name.equals("sp")) {
      return Optional.of(31 * 8);
    }
    if (!name.matches("[xw][0-9]{1,2}")) {
      return Optional.empty();
    }
    int number = Integer.parseInt(name.substring(1));
    return number > 30 ? Optional.empty() : Optional.of(8 * number);
  }

  /** How many arguments come in registers. */
  static int argumentCount() {
    return ARM ? 8 : X86_ARGUMENTS.size();
  }

  /** The register of a function's argument, from 0 on. */
  static int argument(int number) {
    return ARM ? 8 * number : X86_NAMES.get(X86_ARGUMENTS.get(number));
  }

  static int instructionPointer() {
    return ARM ? 32 * 8 : X86_NAMES.get("ip");
  }
}
