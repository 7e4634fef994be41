package dev.plumb.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThreadsTest {
  @Test
  void doesSomethingElseWhileAThreadTakesLong() {
    CountDownLatch turns = new CountDownLatch(3);
    Thread thread = Thread.ofPlatform().daemon().start(() -> await(turns));
    Threads.join(thread, turns::countDown);
    assertThat(turns.getCount()).isZero();
    assertThat(thread.isAlive()).isFalse();
  }

  @Test
  void keepsAnInterruptForLater() {
    CountDownLatch turns = new CountDownLatch(1);
    Thread thread = Thread.ofPlatform().daemon().start(() -> await(turns));
    Thread.currentThread().interrupt();
    Threads.join(thread, turns::countDown);
    assertThat(Thread.interrupted()).isTrue();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
