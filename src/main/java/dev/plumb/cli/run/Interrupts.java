package dev.plumb.cli.run;

import dev.plumb.cli.text.Stderr;
import dev.plumb.linux.SystemCalls;
import java.lang.reflect.Proxy;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Ctrl-C, SIGTERM and a terminal that is closed: the first asks to stop and keeps everything. A
 * second one only says what is still being done; a third one aborts.
 *
 * <p>A shell that runs a script has SIGINT ignored in what it starts in the background, and the JVM
 * leaves signals alone that it finds ignored. Whoever sends one to us means it all the same. Only a
 * SIGHUP that is ignored, as under nohup, stays so.
 *
 * <p>A shutdown hook could not tell the second from the first. {@code sun.misc.Signal} can; it is
 * reached by reflection, because the compiler warns of it in a way that cannot be turned off.
 */
public final class Interrupts {
  public static final int HUP = 1;
  public static final int INT = 2;
  public static final int TERM = 15;

  /** As many as abort. */
  private static final int PATIENCE = 3;

  private final AtomicInteger count = new AtomicInteger();
  private volatile int first;
  private volatile Supplier<String> underWay = () -> "stopping";

  public Interrupts() {
    handle("INT", INT, () -> interrupted(INT));
    handle("TERM", TERM, () -> interrupted(TERM));
    if (!SystemCalls.isIgnored(HUP)) {
      handle("HUP", HUP, () -> interrupted(HUP));
    }
  }

  /** Lets Ctrl-C and a closed terminal do nothing. */
  public static void ignore() {
    handle("INT", INT, () -> {});
    handle("HUP", HUP, () -> {});
  }

  private void interrupted(int number) {
    int times = count.incrementAndGet();
    if (times >= PATIENCE) {
      Runtime.getRuntime().halt(128 + number);
    }
    if (times > 1) {
      Stderr.say(underWay.get() + "; one more signal aborts");
      return;
    }
    first = number;
  }

  /** What is being done, and what would be lost, for whoever is impatient. */
  public void underWay(Supplier<String> text) {
    underWay = text;
  }

  /** Does something at SIGHUP instead, on a thread of the JVM's. */
  public void onHangup(Runnable action) {
    handle("HUP", HUP, action);
  }

  private static void handle(String name, int number, Runnable action) {
    if (SystemCalls.isIgnored(number)) {
      SystemCalls.setDefaultAction(number);
    }
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

  public boolean seen() {
    return first != 0;
  }

  /** The number of the signal that asked to stop, if one did. */
  OptionalInt first() {
    return first == 0 ? OptionalInt.empty() : OptionalInt.of(first);
  }
}
