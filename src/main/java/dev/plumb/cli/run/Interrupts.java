package dev.plumb.cli.run;

import dev.plumb.cli.text.Stderr;
import dev.plumb.linux.ProcessCalls;
import java.lang.reflect.Proxy;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Ctrl-C, SIGTERM and a closed terminal: the first signal asks to stop and loses nothing, a second
 * one only reports what is still being done, a third one aborts.
 *
 * <p>A shell that runs a script starts background commands with SIGINT ignored, and the JVM does
 * not handle ignored signals. Plumb handles them anyway, except an ignored SIGHUP, as under nohup.
 *
 * <p>A shutdown hook could not tell the second signal from the first. {@code sun.misc.Signal} can;
 * it is reached by reflection, because the compiler warns of it in a way that cannot be turned off.
 */
public final class Interrupts {
  public static final int HUP = 1;
  public static final int INT = 2;
  public static final int TERM = 15;

  /** How many signals abort. */
  private static final int PATIENCE = 3;

  private final AtomicInteger count = new AtomicInteger();
  private volatile int first;
  private volatile Supplier<String> underWay = () -> "stopping";

  public Interrupts() {
    handle("INT", INT, () -> interrupted(INT));
    handle("TERM", TERM, () -> interrupted(TERM));
    if (!ProcessCalls.isIgnored(HUP)) {
      handle("HUP", HUP, () -> interrupted(HUP));
    }
  }

  /** Ignores Ctrl-C and a closed terminal. */
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

  /** What a second signal reports: what is being done, and what aborting would lose. */
  public void underWay(Supplier<String> text) {
    underWay = text;
  }

  /** Runs an action at SIGHUP instead, on a thread of the JVM. */
  public void onHangup(Runnable action) {
    handle("HUP", HUP, action);
  }

  private static void handle(String name, int number, Runnable action) {
    if (ProcessCalls.isIgnored(number)) {
      ProcessCalls.setDefaultAction(number);
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
