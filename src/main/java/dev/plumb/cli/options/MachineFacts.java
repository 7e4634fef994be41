package dev.plumb.cli.options;

import dev.plumb.cli.text.Version;
import dev.plumb.linux.kernel.KernelFile;
import java.util.Map;

/** What every recording notes about the machine it was taken on. */
public final class MachineFacts {
  private MachineFacts() {}

  public static Map<String, String> all() {
    return Map.of(
        "host", host(),
        "kernel", KernelFile.read("/proc/sys/kernel/osrelease").orElse(""),
        "plumb", Version.TEXT);
  }

  public static String host() {
    return KernelFile.read("/proc/sys/kernel/hostname").orElse("localhost");
  }
}
