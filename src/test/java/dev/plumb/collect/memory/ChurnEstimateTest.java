package dev.plumb.collect.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumb.collect.memory.ChurnEstimate.Reading;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads whose every allocation is known, seen through windows that slow them down. */
class ChurnEstimateTest {
  private static final double SECOND = 1e9;
  private static final double WINDOW = 1e7;
  private static final int TID = 7;
  private static final int SIZE = 100;

  /** A thread that computes for a while, allocates, and may sleep after a number of allocations. */
  private static final class Simulated {
    final double own;
    final double trap;
    final int allocationsThenSleep;
    final double sleep;
    final SplittableRandom random;
    double time;
    double cpu;
    long traps;
    long seenBytes;
    long bytes;

    Simulated(double own, double trap, int allocationsThenSleep, double sleep, long seed) {
      this.own = own;
      this.trap = trap;
      this.allocationsThenSleep = allocationsThenSleep;
      this.sleep = sleep;
      this.random = new SplittableRandom(seed);
    }

    void runUntil(double end, boolean trapped) {
      while (time < end) {
        double work = own * (0.5 + random.nextDouble()) + (trapped ? trap : 0);
        time += work;
        cpu += work;
        bytes += SIZE;
        if (trapped) {
          traps++;
          seenBytes += SIZE;
        }
        if (allocationsThenSleep > 0 && bytes / SIZE % allocationsThenSleep == 0) {
          time += sleep;
        }
      }
    }

    List<Reading> read() {
      return List.of(new Reading(TID, (long) cpu, traps, 0, seenBytes));
    }
  }

  /** The estimated bytes of so many seconds, of the real ones; and what error it tells. */
  private static double[] estimate(Simulated thread, double trapCost, int seconds) {
    ChurnEstimate estimate = new ChurnEstimate(trapCost);
    estimate.begin(0);
    for (int second = 0; second < seconds; second++) {
      thread.runUntil(second * SECOND + thread.random.nextDouble() * (SECOND - WINDOW), false);
      if (thread.traps > 0) {
        estimate.opens((long) thread.time, thread.read());
      }
      double opened = thread.time;
      thread.runUntil(opened + WINDOW, true);
      estimate.closes((long) thread.time, (long) (thread.time - opened), thread.read());
      thread.runUntil((second + 1) * SECOND, false);
    }
    estimate.opens((long) thread.time, thread.read());
    double error = estimate.error();
    double all = thread.seenBytes * estimate.factor(TID, (long) thread.time);
    return new double[] {all / thread.bytes, error};
  }

  /** Slowed down to a third, or by little; busy all the time, or at a pace of its own. */
  @ParameterizedTest
  @CsvSource({"10000, 0", "1000, 0", "2000, 100", "10000, 20"})
  void isRightInTheMeanAndSaysItsError(double own, int allocationsThenSleep) {
    double sum = 0;
    int within = 0;
    int runs = 40;
    for (int seed = 0; seed < runs; seed++) {
      Simulated thread = new Simulated(own, 2000, allocationsThenSleep, 2e6, seed);
      double[] result = estimate(thread, 2000, 12);
      sum += result[0];
      within += Math.abs(result[0] - 1) <= result[1] ? 1 : 0;
    }
    assertThat(sum / runs).isBetween(0.96, 1.04);
    assertThat(within).as("runs whose error is as told").isGreaterThanOrEqualTo(runs * 9 / 10);
  }

  /** A wrong idea of what a trap costs is within the error that is told. */
  @ParameterizedTest
  @CsvSource({"1.15", "0.85"})
  void allowsForAWrongTrapCost(double wrong) {
    Simulated thread = new Simulated(1000, 2000, 0, 0, 1);
    double[] result = estimate(thread, 2000 * wrong, 20);
    assertThat(result[0]).isNotCloseTo(1, org.assertj.core.data.Offset.offset(0.15));
    assertThat(Math.abs(result[0] - 1)).isLessThan(result[1]);
    assertThat(result[1]).isLessThan(0.8);
  }

  /** Ten thousand threads of 20 ms each, one after another: most are never seen. */
  @Test
  void threadsThatComeAndGo() {
    SplittableRandom random = new SplittableRandom(3);
    ChurnEstimate estimate = new ChurnEstimate(0);
    estimate.begin(0);
    double total = 0;
    int seconds = 60;
    for (int second = 0; second < seconds; second++) {
      long opened = (long) ((second + random.nextDouble() * 0.99) * SECOND);
      long closed = opened + (long) WINDOW;
      int tid = 1000 + second;
      estimate.opens(opened, List.of());
      estimate.closes(closed, (long) WINDOW, List.of(new Reading(tid, 0, 50, 0, 50 * SIZE)));
      total += 50 * SIZE;
    }
    double all = 0;
    for (int second = 0; second < seconds; second++) {
      all += 50 * SIZE * estimate.factor(1000 + second, (long) (seconds * SECOND));
    }
    assertThat(all / total).isBetween(99.0, 101.0);
  }

  @Test
  void partsAreApart() {
    ChurnEstimate estimate = new ChurnEstimate(0);
    estimate.begin(0);
    assertThat(estimate.text(1000)).contains("no window");
    estimate.closes(100, 10, List.of(new Reading(TID, 5, 1, 0, SIZE)));
    assertThat(estimate.windows()).isEqualTo(1);
    assertThat(estimate.factor(TID, 1000)).isEqualTo(100);
    estimate.begin(1000);
    assertThat(estimate.windows()).isZero();
    assertThat(estimate.factor(TID, 2000)).isZero();
    estimate.closes(1100, 20, List.of(new Reading(TID, 5, 2, 0, 3 * SIZE)));
    assertThat(estimate.factor(TID, 2000)).isEqualTo(50);
  }
}
