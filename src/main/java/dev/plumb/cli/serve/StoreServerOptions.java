package dev.plumb.cli.serve;

import dev.plumb.cli.options.ListenOptions;
import dev.plumb.cli.options.StateFolder;
import dev.plumb.cli.text.ByteSizes;
import dev.plumb.cli.text.Durations;
import dev.plumb.linux.kernel.KernelFile;
import dev.plumb.store.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Where the store is, what it may take, and where the server listens. */
final class StoreServerOptions {
  private static final long LEAST_MEMORY = 384L << 20;
  private static final long MOST_MEMORY = 2L << 30;
  private static final int SHARE_OF_MACHINE = 8;
  private static final Pattern TOTAL = Pattern.compile("MemTotal:\\s+(\\d+) kB");

  @Mixin ListenOptions listenOptions = new ListenOptions();

  @Option(
      names = "--store",
      paramLabel = "DIR",
      description =
          "Folder of the store (default /var/lib/plumb/store, or in the user's state folder).")
  String store = "";

  @Option(
      names = "--disk",
      paramLabel = "SIZE",
      converter = ByteSizes.class,
      description = "Maximum size of the store (default 2GB); the oldest data is deleted first.")
  long diskBytes = StoreOptions.DEFAULT_DISK_BYTES;

  @Option(
      names = "--max-age",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "Delete older data even if there is room, e.g. 168h.")
  long maxAgeNanos;

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = ByteSizes.class,
      description =
          "Memory for queries and pushes (default: an eighth of the machine's, from 384MB to 2GB). Recording has its own memory.")
  long memoryBytes;

  @Option(
      names = "--interval",
      paramLabel = "TIME",
      converter = Durations.class,
      description = "How often recordings are stored (default 5s).")
  long intervalNanos = 5_000_000_000L;

  /** Fails if a value is out of range. */
  void require() {
    if (intervalNanos < 1_000_000_000L || intervalNanos > 10_000_000_000L) {
      throw new IllegalArgumentException("--interval: must be from 1s to 10s");
    }
    if (memoryBytes != 0 && memoryBytes < LEAST_MEMORY / 2) {
      throw new IllegalArgumentException(
          "--memory: must be at least %d MB".formatted(LEAST_MEMORY / 2 >> 20));
    }
  }

  Path folder() {
    return store.isEmpty() ? StateFolder.store() : Path.of(store);
  }

  /** Memory for the server: heap and database. */
  long memory() {
    return memoryBytes == 0
        ? Math.clamp(machineBytes() / SHARE_OF_MACHINE, LEAST_MEMORY, MOST_MEMORY)
        : memoryBytes;
  }

  private static long machineBytes() {
    Matcher total = TOTAL.matcher(KernelFile.read("/proc/meminfo").orElse(""));
    return total.find() ? Long.parseLong(total.group(1)) << 10 : 0;
  }

  /** Disk space for recordings that wait for the server. */
  long spoolBytes() {
    return Math.max(diskBytes / 4, StoreOptions.MIN_DISK_BYTES);
  }

  StoreOptions storeOptions() {
    StoreOptions options =
        StoreOptions.of(folder())
            .withDiskBytes(diskBytes)
            .withMemoryBytes(ServerProcess.databaseBytes(memory()));
    return maxAgeNanos == 0 ? options : options.withMaxAge(Duration.ofNanos(maxAgeNanos));
  }
}
