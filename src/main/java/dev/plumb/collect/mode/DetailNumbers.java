package dev.plumb.collect.mode;

import dev.plumb.table.LongIndex;
import java.util.function.LongConsumer;

/** Numbers the details of sums, because rows have room for an int only. Their number is bounded. */
final class DetailNumbers {
  /** Of further details, only the bits in {@code always} are kept. */
  private static final int MOST = 1 << 18;

  private LongIndex numbers = new LongIndex();
  private final long always;
  private final LongConsumer met;

  /**
   * @param always the bits that are kept even if there are too many details; they have few values
   * @param met is called for each new detail, while what it stands for can still be looked up
   */
  DetailNumbers(long always, LongConsumer met) {
    this.always = always;
    this.met = met;
  }

  int number(long said) {
    int known = numbers.find(said);
    if (known >= 0) {
      return known;
    }
    long detail = numbers.size() < MOST ? said : said & always;
    int before = numbers.size();
    int number = numbers.add(detail);
    if (number == before) {
      met.accept(detail);
    }
    return number;
  }

  void clear() {
    numbers = new LongIndex();
  }

  long of(int number) {
    return numbers.key(number);
  }
}
