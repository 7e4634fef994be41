package dev.plumb.server.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumb.server.http.ErrorCode;
import dev.plumb.server.http.Refusal;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FairSchedulerTest {
  @Test
  void neverMoreAtOnceThanThereArePlaces() throws Exception {
    FairScheduler turns = new FairScheduler(4, 500, Duration.ofSeconds(30));
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        String client = "client " + i % 3;
        threads.submit(
            () ->
                turns.take(
                    client,
                    () -> {
                      most.accumulateAndGet(now.incrementAndGet(), Math::max);
                      Thread.sleep(2);
                      now.decrementAndGet();
                      return done.incrementAndGet();
                    }));
      }
    }
    assertThat(done.get()).isEqualTo(200);
    assertThat(most.get()).isBetween(2, 4);
    assertThat(turns.waiting()).isZero();
  }

  @Test
  void whoAsksOnceIsNotBehindWhoAsksAlways() throws Exception {
    FairScheduler turns = new FairScheduler(2, 500, Duration.ofSeconds(30));
    AtomicInteger greedy = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 300; i++) {
        threads.submit(
            () ->
                turns.take(
                    "greedy",
                    () -> {
                      started.countDown();
                      Thread.sleep(10);
                      return greedy.incrementAndGet();
                    }));
      }
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      while (turns.waiting() < 200) {
        Thread.sleep(1);
      }
      int before = greedy.get();
      Future<Integer> modest = threads.submit(() -> turns.take("modest", greedy::get));
      assertThat(modest.get(5, TimeUnit.SECONDS) - before).isLessThan(20);
      threads.shutdownNow();
    }
  }

  @Test
  void patienceEnds() throws Exception {
    FairScheduler turns = new FairScheduler(2, 1, Duration.ofMillis(50));
    CountDownLatch end = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      threads.submit(() -> turns.take("a", () -> end.await(10, TimeUnit.SECONDS)));
      while (true) {
        try {
          turns.take("a", () -> 1);
        } catch (Refusal e) {
          assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
          break;
        }
      }
      // The place that is left is for others.
      assertThat(turns.take("b", () -> 2)).isEqualTo(2);
      end.countDown();
    }
    assertThat(turns.take("a", () -> 3)).isEqualTo(3);
    assertThatThrownBy(
            () ->
                turns.take(
                    "a",
                    () -> {
                      throw new IllegalStateException("inside");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(turns.take("a", () -> 4)).isEqualTo(4);
  }
}
