package dev.plumb.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.plumb.linux.Fd;
import dev.plumb.linux.SystemCalls;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

class LeakCheckTest {
  private static Fd leaked;

  /** Run by the test below only: its name does not look like a test's. */
  static final class Leaky {
    @Test
    void leaks() {
      leaked = SystemCalls.eventfd();
    }
  }

  @Test
  void failsAClassThatLeaks() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(Leaky.class)).build();
    StringBuilder failures = new StringBuilder();
    try {
      LauncherFactory.create()
          .execute(
              request,
              new TestExecutionListener() {
                @Override
                public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                  result.getThrowable().ifPresent(t -> failures.append(t.getMessage()));
                }
              });
    } finally {
      leaked.close();
    }
    assertThat(failures.toString()).contains("left open: descriptors 1");
  }
}
