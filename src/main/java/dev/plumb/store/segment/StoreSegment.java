package dev.plumb.store.segment;

/**
 * Up to two million samples and their sums, in immutable files. A tier that was dropped to save
 * space has a size of 0.
 *
 * @param firstMicros time of its oldest row
 * @param lastMicros time of its newest row
 * @param stackBase the dictionary of its stacks
 * @param rawBytes size of the samples and of the sums per thread
 * @param minuteBytes size of the sums per minute, and per second without stacks
 * @param hourBytes size of the sums per hour
 */
public record StoreSegment(
    int id,
    long firstMicros,
    long lastMicros,
    long rows,
    int stackBase,
    long rawBytes,
    long minuteBytes,
    long hourBytes) {
  public boolean has(Tier tier) {
    return bytes(tier) > 0;
  }

  /** Whether all its files were dropped. */
  public boolean isEmpty() {
    return rawBytes == 0 && minuteBytes == 0 && hourBytes == 0;
  }

  public boolean overlaps(long fromMicros, long toMicros) {
    return firstMicros < toMicros && lastMicros >= fromMicros;
  }

  public boolean liesWithin(long fromMicros, long toMicros) {
    return firstMicros >= fromMicros && lastMicros < toMicros;
  }

  /** Whether sums over buckets of this length are exact for a range. */
  public boolean isExact(long fromMicros, long toMicros, long bucketMicros) {
    return (fromMicros <= firstMicros || fromMicros % bucketMicros == 0)
        && (toMicros > lastMicros || toMicros % bucketMicros == 0);
  }

  public StoreSegment without(Tier tier) {
    return new StoreSegment(
        id,
        firstMicros,
        lastMicros,
        rows,
        stackBase,
        tier == Tier.SAMPLES ? 0 : rawBytes,
        tier == Tier.MINUTES ? 0 : minuteBytes,
        tier == Tier.HOURS ? 0 : hourBytes);
  }

  public long bytes(Tier tier) {
    return switch (tier) {
      case SAMPLES -> rawBytes;
      case MINUTES -> minuteBytes;
      case HOURS -> hourBytes;
    };
  }
}
