package dev.plumb.unwind.rule;

import dev.plumb.table.LongIndex;

/** Numbers the rules of a file, packed, each once. */
public final class RuleNumbers {
  public static final char NONE = 0;
  public static final char UNSUPPORTED = 1;
  private static final int MOST = 1 << 16;

  /** Small at first: most files have few rules. */
  private final LongIndex rules = new LongIndex(64);

  private long overflows;
  private long lastRule = RuleMaker.NONE;
  private char lastNumber = NONE;

  public RuleNumbers() {
    rules.add(RuleMaker.NONE);
    rules.add(RuleMaker.UNSUPPORTED);
  }

  /** The rule's number; if there are too many rules, that of the unsupported rule. */
  public char number(long rule) {
    if (rule == lastRule) {
      return lastNumber;
    }
    int number = rules.size() < MOST ? rules.add(rule) : rules.find(rule);
    if (number < 0) {
      overflows++;
      return UNSUPPORTED;
    }
    lastRule = rule;
    lastNumber = (char) number;
    return lastNumber;
  }

  /** Whether there is a rule with this kind of CFA. */
  public boolean hasCfa(int cfa) {
    for (int i = 0; i < rules.size(); i++) {
      if (UnwindRule.cfa(rules.key(i)) == cfa) {
        return true;
      }
    }
    return false;
  }

  /** The rule of a number, packed. */
  public long rule(char number) {
    return rules.key(number);
  }

  /** How often there was no number left for a rule. */
  public long overflows() {
    return overflows;
  }

  public long[] rules() {
    return rules.toArray();
  }
}
