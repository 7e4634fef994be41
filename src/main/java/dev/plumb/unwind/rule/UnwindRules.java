package dev.plumb.unwind.rule;

/** The rules of one ELF file, wherever they are stored. */
public interface UnwindRules {
  /** The rule that applies at an address. */
  default UnwindRule ruleAt(long elfAddress) {
    return UnwindRule.of(packedRuleAt(elfAddress));
  }

  /** The same as the kernel side reads it. */
  long packedRuleAt(long elfAddress);

  /** Whether the rules say where a caller's rbx is. */
  boolean followsRbx();
}
