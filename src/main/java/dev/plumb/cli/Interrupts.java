package dev.plumb.cli;

import java.lang.reflect.Proxy;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ctrl-C and SIGTERM: the first asks to stop and keeps everything, a second one aborts.
 *
 * <p>A shutdown hook could not tell the second from the first. {@code sun.misc.Signal} can; it is
 * reached by reflection, because the compiler warns of it in a way that cannot be turned off.
 */
final class Interrupts {
  static final int INT = 2;
  static final int TERM = 15;

  private final AtomicInteger count = new AtomicInteger();
  private volatile int first;

  Interrupts() {
    handle("INT", () -> interrupted(INT));
    handle("TERM", () -> interrupted(TERM));
  }

  private void interrupted(int number) {
    if (count.incrementAndGet() > 1) {
      Runtime.getRuntime().halt(128 + number);
    }
    first = number;
  }

  /** Does something at SIGHUP, on a thread of the JVM's. */
  void onHangup(Runnable action) {
    handle("HUP", action);
  }

  private static void handle(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object ours =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), ours);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this JVM cannot catch SIG" + name, e);
    }
  }

  boolean seen() {
    return first != 0;
  }

  /** The number of the signal that asked to stop, if one did. */
  OptionalInt first() {
    return first == 0 ? OptionalInt.empty() : OptionalInt.of(first);
  }
}
