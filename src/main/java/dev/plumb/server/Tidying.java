package dev.plumb.server;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gives the machine back what heavy questions took, once they are over: a heap that is not
 * collected does not shrink, and at rest nothing collects it.
 */
final class Tidying {
  private static final int REST_SECONDS = 10;

  private final AtomicInteger questions = new AtomicInteger();
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, work -> Thread.ofPlatform().daemon().name("plumb-tidying").unstarted(work));

  Tidying() {
    timer.setKeepAliveTime(1, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  /** A heavy question has ended. */
  void later() {
    int number = questions.incrementAndGet();
    timer.schedule(() -> tidyAfter(number), REST_SECONDS, TimeUnit.SECONDS);
  }

  private void tidyAfter(int number) {
    if (questions.get() == number) {
      System.gc();
    }
  }
}
