package dev.plumb.server.api;

import dev.plumb.export.wire.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** What this process itself costs: CPU time and memory. */
final class ServerCost {
  private static final Path STATUS = Path.of("/proc/self/status");

  private ServerCost() {}

  static void put(Json json) {
    ProcessHandle self = ProcessHandle.current();
    Instant started = self.info().startInstant().orElse(Instant.now());
    Duration used = self.info().totalCpuDuration().orElse(Duration.ZERO);
    json.key("self").open('{').key("pid").value(self.pid());
    json.key("upSeconds").value(Duration.between(started, Instant.now()).toMillis() / 1e3);
    json.key("cpuSeconds").value(used.toMillis() / 1e3);
    json.key("residentBytes").value(residentBytes()).close('}');
  }

  /** 0 if the kernel does not say. */
  private static long residentBytes() {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith("VmRSS:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
        }
      }
    } catch (IOException | NumberFormatException e) {
      // 0 stands for unknown.
    }
    return 0;
  }
}
