package dev.plumb.collect.kernel;

import dev.plumb.bpf.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Links that are detached together. */
public record AttachedLinks(List<Link> links) implements AutoCloseable {
  public static final AttachedLinks NONE = new AttachedLinks(List.of());

  private static final int MOST_THREADS = 16;

  /**
   * For each link, the kernel waits until no CPU runs its program any more: some 50 ms on a busy
   * machine. Links are detached in parallel, so that they wait in parallel.
   */
  @Override
  public void close() {
    AtomicInteger next = new AtomicInteger();
    AtomicReference<RuntimeException> failure = new AtomicReference<>();
    Runnable closing =
        () -> {
          for (int i = next.getAndIncrement(); i < links.size(); i = next.getAndIncrement()) {
            try {
              links.get(i).close();
            } catch (RuntimeException e) {
              failure.set(e);
            }
          }
        };
    List<Thread> threads = new ArrayList<>();
    for (int i = 1; i < Math.min(links.size(), MOST_THREADS); i++) {
      threads.add(Thread.ofPlatform().name("detach-" + i).daemon().start(closing));
    }
    closing.run();
    threads.forEach(AttachedLinks::await);
    if (failure.get() != null) {
      throw failure.get();
    }
  }

  private static void await(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true; // a signal to stop: we are stopping
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
