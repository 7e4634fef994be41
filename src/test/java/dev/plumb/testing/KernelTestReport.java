package dev.plumb.testing;

import java.io.PrintStream;
import java.util.Set;
import java.util.TreeSet;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Writes {@code ok CLASS} for a class whose tests all passed, else {@code not ok CLASS.TEST}, or
 * {@code again CLASS.TEST} if the class will be run once more.
 */
final class KernelTestReport implements TestExecutionListener {
  private final PrintStream out;
  private final boolean last;
  private final Set<String> failedClasses = new TreeSet<>();
  private String className = "";
  private int passed;
  private int skipped;
  private int failed;
  private long started;

  KernelTestReport(PrintStream out, boolean last) {
    this.out = out;
    this.last = last;
  }

  /** By their full names. */
  Set<String> failedClasses() {
    return failedClasses;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (isClass(test)) {
      className = test.getDisplayName();
      passed = 0;
      skipped = 0;
      failed = 0;
      started = System.nanoTime();
      // If it never ends, this is the last line.
      out.println("# " + className);
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    skip(test, reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    switch (result.getStatus()) {
      case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
      case ABORTED -> skip(test, message(result));
      case FAILED -> {
        failed++;
        out.println((last ? "not ok " : "again ") + name(test) + ": " + message(result));
        test.getSource().ifPresent(source -> failedClasses.add(classOf(source)));
        result.getThrowable().ifPresent(failure -> failure.printStackTrace(out));
      }
    }
    if (isClass(test) && failed == 0) {
      out.printf(
          "ok %s: %d%s, %d s%n",
          className,
          passed,
          skipped == 0 ? "" : ", skipped " + skipped,
          (System.nanoTime() - started) / 1_000_000_000);
    }
  }

  private void skip(TestIdentifier test, String reason) {
    skipped++;
    out.println("skipped " + name(test) + ": " + reason);
  }

  private static String classOf(TestSource source) {
    return source instanceof MethodSource method
        ? method.getClassName()
        : ((ClassSource) source).getClassName();
  }

  private static boolean isClass(TestIdentifier test) {
    return test.getSource().filter(ClassSource.class::isInstance).isPresent();
  }

  private String name(TestIdentifier test) {
    String method =
        test.getSource()
            .filter(MethodSource.class::isInstance)
            .map(source -> "." + ((MethodSource) source).getMethodName())
            .orElse("");
    String variant = test.getDisplayName();
    boolean plain = method.isEmpty() || variant.startsWith(method.substring(1) + "(");
    return className + method + (plain ? "" : " " + variant);
  }

  /** The first line; the rest follows with the stack. */
  private static String message(TestExecutionResult result) {
    return result
        .getThrowable()
        .map(failure -> failure.toString().strip().lines().findFirst().orElse(""))
        .orElse("no reason given");
  }
}
