package dev.plumb.store;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where a store is and how much it may use.
 *
 * @param folder created if missing
 * @param diskBytes the disk budget for all files in the folder
 * @param maxAge older data is deleted even if the budget is not used up
 * @param memoryBytes what DuckDB may use outside the heap
 */
public record StoreOptions(
    Path folder, long diskBytes, Optional<Duration> maxAge, long memoryBytes) {
  public static final long DEFAULT_DISK_BYTES = 2L << 30;
  public static final long DEFAULT_MEMORY_BYTES = 56L << 20;

  /** Less would hold no useful history, as DuckDB's own file takes some of it. */
  public static final long MIN_DISK_BYTES = 16L << 20;

  public StoreOptions {
    if (diskBytes < MIN_DISK_BYTES) {
      throw new IllegalArgumentException(
          "a store needs at least %d MB of disk, not %d bytes"
              .formatted(MIN_DISK_BYTES >> 20, diskBytes));
    }
  }

  public static StoreOptions of(Path folder) {
    return new StoreOptions(folder, DEFAULT_DISK_BYTES, Optional.empty(), DEFAULT_MEMORY_BYTES);
  }

  public StoreOptions withDiskBytes(long bytes) {
    return new StoreOptions(folder, bytes, maxAge, memoryBytes);
  }

  public StoreOptions withMaxAge(Duration age) {
    return new StoreOptions(folder, diskBytes, Optional.of(age), memoryBytes);
  }

  public StoreOptions withMemoryBytes(long bytes) {
    return new StoreOptions(folder, diskBytes, maxAge, bytes);
  }
}
