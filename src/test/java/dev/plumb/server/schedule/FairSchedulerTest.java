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
    FairScheduler scheduler = new FairScheduler(4, 500, Duration.ofSeconds(30));
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        String client = "client " + i % 3;
        threads.submit(
            () ->
                scheduler.run(
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
    assertThat(scheduler.waiting()).isZero();
  }

  @Test
  void whoAsksOnceIsNotBehindWhoAsksAlways() throws Exception {
    FairScheduler scheduler = new FairScheduler(2, 500, Duration.ofSeconds(30));
    AtomicInteger greedy = new AtomicInteger();
    CountDownLatch started = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 300; i++) {
        threads.submit(
            () ->
                scheduler.run(
                    "greedy",
                    () -> {
                      started.countDown();
                      Thread.sleep(10);
                      return greedy.incrementAndGet();
                    }));
      }
      assertThat(started.await(5, TimeUnit.SECONDS)).isTrue();
      while (scheduler.waiting() < 200) {
        Thread.sleep(1);
      }
      int before = greedy.get();
      Future<Integer> modest = threads.submit(() -> scheduler.run("modest", greedy::get));
      assertThat(modest.get(5, TimeUnit.SECONDS) - before).isLessThan(20);
      threads.shutdownNow();
    }
  }

  @Test
  void patienceEnds() throws Exception {
    FairScheduler scheduler = new FairScheduler(2, 1, Duration.ofMillis(50));
    CountDownLatch end = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      threads.submit(() -> scheduler.run("a", () -> end.await(10, TimeUnit.SECONDS)));
      while (true) {
        try {
          scheduler.run("a", () -> 1);
        } catch (Refusal e) {
          assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
          break;
        }
      }
      // The place that is left is for others.
      assertThat(scheduler.run("b", () -> 2)).isEqualTo(2);
      end.countDown();
    }
    assertThat(scheduler.run("a", () -> 3)).isEqualTo(3);
    assertThatThrownBy(
            () ->
                scheduler.run(
                    "a",
                    () -> {
                      throw new IllegalStateException("inside");
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(scheduler.run("a", () -> 4)).isEqualTo(4);
  }
}
