package dev.plumb.store.database;

import dev.plumb.store.StoreOptions;

/**
 * How large the parts of a store may become, in proportion to the whole.
 *
 * @param diskBytes for all files
 * @param tableRows rows in a table of samples before it becomes a segment
 * @param stacks per dictionary
 * @param frames per dictionary
 * @param logBytes size of DuckDB's log before it is checkpointed
 */
public record StoreLimits(long diskBytes, long tableRows, int stacks, int frames, long logBytes) {
  /** Three tables of samples at about a hundred bytes per row, and a dictionary. */
  public static StoreLimits inMemory(long bytes) {
    return new StoreLimits(
        bytes,
        Math.clamp(bytes / 400, 1_000, 2_000_000),
        Math.clamp(bytes / 400, 20_000, 500_000),
        Math.clamp(bytes / 3000, 4_000, 80_000),
        bytes);
  }

  public static StoreLimits of(StoreOptions options) {
    long disk = options.diskBytes();
    return new StoreLimits(
        disk,
        Math.clamp(disk / 1000, 10_000, 2_000_000),
        Math.clamp(disk / 400, 20_000, 500_000),
        Math.clamp(disk / 3000, 4_000, 80_000),
        Math.clamp(disk / 128, 1 << 20, 16 << 20));
  }
}
