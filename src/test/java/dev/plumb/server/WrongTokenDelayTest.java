package dev.plumb.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WrongTokenDelayTest {
  private static long millis(Runnable task) {
    long start = System.nanoTime();
    task.run();
    return (System.nanoTime() - start) / 1_000_000;
  }

  @Test
  void afterAFewTheyWait() {
    WrongTokenDelay tokens = new WrongTokenDelay(3, Duration.ofMillis(300), Duration.ofSeconds(60));
    assertThat(
            millis(
                () -> {
                  for (int i = 0; i < 3; i++) {
                    tokens.slowDown("1.2.3.4");
                  }
                }))
        .isLessThan(300);
    assertThat(millis(() -> tokens.slowDown("1.2.3.4"))).isGreaterThanOrEqualTo(300);
    assertThat(millis(() -> tokens.slowDown("1.2.3.5"))).isLessThan(300);
  }

  @Test
  void addressesAreForgotten() {
    WrongTokenDelay tokens = new WrongTokenDelay();
    for (int i = 0; i < 5_000; i++) {
      tokens.slowDown("host" + i);
    }
    assertThat(tokens.addresses()).isEqualTo(1_000);
  }

  @Test
  void theRightOneDoesNotWait(@TempDir Path folder) {
    String token = "correct horse battery";
    ServerOptions options = ServerOptions.LOCAL.listen("127.0.0.1:0").withToken(token);
    try (TestServer server = TestServer.start(folder, options)) {
      for (int i = 0; i < 5; i++) {
        assertThat(server.get("/metrics", "Authorization", "Bearer wrong").statusCode())
            .isEqualTo(401);
      }
      assertThat(millis(() -> server.get("/metrics", "Authorization", "Bearer wrong")))
          .isGreaterThanOrEqualTo(1_000);
      assertThat(millis(() -> server.get("/login?token=wrong"))).isGreaterThanOrEqualTo(1_000);
      assertThat(millis(() -> server.get("/metrics", "Authorization", "Bearer " + token)))
          .isLessThan(1_000);
    }
  }
}
