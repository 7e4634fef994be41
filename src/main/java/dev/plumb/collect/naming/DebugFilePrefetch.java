package dev.plumb.collect.naming;

import dev.plumb.linux.Threads;
import dev.plumb.process.BackingFile;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/**
 * Opens the debug files of files in containers as soon as such a file is seen: they disappear with
 * their container, and naming may happen later. Runs on a thread of its own, which is started only
 * if there are containers.
 */
final class DebugFilePrefetch {
  private final Consumer<BackingFile> opener;
  private final Set<BackingFile> seen = new HashSet<>();
  private final BlockingQueue<Optional<BackingFile>> queue = new LinkedBlockingQueue<>();
  private Optional<Thread> thread = Optional.empty();
  private volatile boolean stopped;

  /** {@code opener} is called on that thread. */
  DebugFilePrefetch(Consumer<BackingFile> opener) {
    this.opener = opener;
  }

  void see(BackingFile file) {
    if (file.root().isEmpty() || !seen.add(file)) {
      return;
    }
    queue.add(Optional.of(file));
    if (thread.isEmpty()) {
      thread = Optional.of(Thread.ofPlatform().daemon().name("debug-files").start(this::run));
    }
  }

  private void run() {
    try {
      for (Optional<BackingFile> file = queue.take(); file.isPresent(); file = queue.take()) {
        if (stopped) {
          return;
        }
        opener.accept(file.get());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // then it ends
    }
  }

  /**
   * Ends after the current file; others are opened when they are needed. {@code meanwhile} runs
   * again and again, because one file may take long.
   */
  void close(Runnable meanwhile) {
    stopped = true;
    queue.add(Optional.empty());
    thread.ifPresent(t -> Threads.join(t, meanwhile));
  }
}
