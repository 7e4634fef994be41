package dev.plumb.cli;

import java.util.concurrent.atomic.AtomicInteger;
import sun.misc.Signal;

/** Ctrl-C and SIGTERM: the first asks to stop and keeps everything, a second one aborts. */
@SuppressWarnings("sunapi")
final class Interrupts {
  private final AtomicInteger count = new AtomicInteger();

  Interrupts() {
    for (String name : new String[] {"INT", "TERM"}) {
      Signal.handle(
          new Signal(name),
          signal -> {
            if (count.incrementAndGet() > 1) {
              Runtime.getRuntime().halt(128 + signal.getNumber());
            }
          });
    }
  }

  boolean seen() {
    return count.get() > 0;
  }
}
