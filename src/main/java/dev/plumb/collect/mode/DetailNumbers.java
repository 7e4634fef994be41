package dev.plumb.collect.mode;

import dev.plumb.table.LongIndex;
import java.util.function.LongConsumer;

/** Numbers what sets sums apart, for rows have room for an int; so many and no more. */
final class DetailNumbers {
  /** More than that are told apart by their stacks and {@code always} alone. */
  private static final int MOST = 1 << 18;

  private LongIndex numbers = new LongIndex();
  private final long always;
  private final LongConsumer met;

  /**
   * @param always the bits that are told apart even if there are too many; few values
   * @param met is told each that is new, while what it stands for is still there
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
