package dev.plumb.bpf;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the loader's tests on another kernel, where there is no Maven and no compiler: {@code
 * KernelTests prepare} compiles what they need beforehand, {@code KernelTests} runs them and says
 * {@code ok} or {@code not ok} for each class.
 */
final class KernelTests {
  private static final List<Class<?>> CLASSES =
      List.of(
          LinksTest.class,
          LoadTest.class,
          BpfMapTest.class,
          RingBufferTest.class,
          ContentsTest.class,
          KernelFunctionsTest.class,
          FeatureTest.class,
          TypesInKernelTest.class);

  private static final List<String> OBJECTS =
      List.of(
          "first",
          "maps",
          "data",
          "functions",
          "externs",
          "kinds",
          "core",
          "newer_types",
          "refused",
          "ring",
          "mapuse",
          "probes",
          "fentry");

  private KernelTests() {}

  public static void main(String[] args) {
    if (args.length == 1 && args[0].equals("prepare")) {
      OBJECTS.forEach(TestObjects::compile);
      // For kernels that lack what these leave out.
      TestObjects.compile("probes", "-DNO_COOKIES");
      TestObjects.compile("externs", "-DNO_KERNEL_FUNCTIONS");
      TestObjects.compile("maps", "-DNO_BLOOM_FILTER");
      TestObjects.program("probed");
      return;
    }
    CLASSES.forEach(KernelTests::run);
    System.exit(0);
  }

  private static void run(Class<?> tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    boolean ok = summary.getTotalFailureCount() == 0 && summary.getTestsSucceededCount() > 0;
    System.out.printf(
        "%s %s: %d of %d tests, %d left out%n",
        ok ? "ok" : "not ok",
        tests.getSimpleName(),
        summary.getTestsSucceededCount(),
        summary.getTestsFoundCount(),
        summary.getTestsAbortedCount() + summary.getTestsSkippedCount());
    summary
        .getFailures()
        .forEach(
            failure ->
                System.out.println(
                    "  "
                        + failure.getTestIdentifier().getDisplayName()
                        + ": "
                        + String.valueOf(failure.getException()).lines().limit(4).toList()));
  }
}
