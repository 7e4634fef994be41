package dev.plumb.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CachedLookupTest {
  @Test
  void looksAnewForWhoeverAsks() {
    AtomicInteger looks = new AtomicInteger();
    CachedLookup<Integer> known = new CachedLookup<>(looks::incrementAndGet);
    assertThat(known.get()).isEqualTo(1);
    assertThat(known.get()).isEqualTo(2);
  }

  @Test
  void aLookThatTakesLongKeepsNobodyWaiting() {
    CountDownLatch end = new CountDownLatch(1);
    AtomicInteger looks = new AtomicInteger();
    CachedLookup<Integer> known =
        new CachedLookup<>(
            () -> {
              int look = looks.incrementAndGet();
              if (look > 1) {
                await(end);
              }
              return look;
            });
    assertThat(known.get()).isEqualTo(1);
    long began = System.nanoTime();
    for (int i = 0; i < 5; i++) {
      assertThat(known.get()).isEqualTo(1);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    // All of them waited for the same look, not each for one of its own.
    assertThat(looks).hasValue(2);
    end.countDown();
  }

  @Test
  void withNothingKnownTheFailureIsTheAnswer() {
    CachedLookup<Integer> known =
        new CachedLookup<>(
            () -> {
              throw new IllegalStateException("no store");
            });
    assertThatThrownBy(known::get).isInstanceOf(IllegalStateException.class);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
