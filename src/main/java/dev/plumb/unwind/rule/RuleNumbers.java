package dev.plumb.unwind.rule;

import java.util.Arrays;

/** Numbers the rules of a file, each once: a hash table of packed rules. */
public final class RuleNumbers {
  public static final char NONE = 0;
  public static final char UNSUPPORTED = 1;
  private static final int MOST = 1 << 16;

  private long[] rules = new long[64];
  private int count;

  /** Numbers plus one, at the hash of their rule; at least twice as many places as rules. */
  private int[] places = new int[2 * rules.length];

  private long overflows;
  private long lastRule;
  private char lastNumber;

  public RuleNumbers() {
    lastRule = RuleMaker.NONE;
    lastNumber = number(RuleMaker.NONE);
    number(RuleMaker.UNSUPPORTED);
  }

  /** The rule's number; if there are too many rules, that of the unsupported rule. */
  public char number(long rule) {
    if (rule == lastRule && count > 0) {
      return lastNumber;
    }
    int place = place(rule);
    if (places[place] == 0) {
      if (count == MOST) {
        overflows++;
        return UNSUPPORTED;
      }
      if (count == rules.length) {
        grow();
        place = place(rule);
      }
      rules[count++] = rule;
      places[place] = count;
    }
    lastRule = rule;
    lastNumber = (char) (places[place] - 1);
    return lastNumber;
  }

  /** Whether there is a rule with this kind of CFA. */
  public boolean hasCfa(int cfa) {
    for (int i = 0; i < count; i++) {
      if (UnwindRule.cfa(rules[i]) == cfa) {
        return true;
      }
    }
    return false;
  }

  /** The rule of a number, packed. */
  public long rule(char number) {
    return rules[number];
  }

  /** How often there was no number left for a rule. */
  public long overflows() {
    return overflows;
  }

  public long[] rules() {
    return Arrays.copyOf(rules, count);
  }

  private int place(long rule) {
    int mask = places.length - 1;
    int place = (int) (rule * 0x9E37_79B9_7F4A_7C15L >>> 40) & mask;
    while (places[place] != 0 && rules[places[place] - 1] != rule) {
      place = (place + 1) & mask;
    }
    return place;
  }

  private void grow() {
    rules = Arrays.copyOf(rules, 2 * rules.length);
    places = new int[2 * rules.length];
    for (int i = 0; i < count; i++) {
      places[place(rules[i])] = i + 1;
    }
  }
}
