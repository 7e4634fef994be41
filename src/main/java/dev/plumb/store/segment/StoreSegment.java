package dev.plumb.store.segment;

/**
 * Rows that are not written to any more, in files of their own: single samples, and their sums.
 * What was dropped to save space has no bytes.
 *
 * @param firstMicros of its oldest row
 * @param lastMicros of its newest row
 * @param stackBase of the dictionary that its stacks are in
 * @param rawBytes of the single samples, and of the sums by thread
 * @param minuteBytes of the sums by minute, and by second without stacks
 * @param hourBytes of the sums by hour
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

  /** Whether all its files are gone. */
  public boolean isEmpty() {
    return rawBytes == 0 && minuteBytes == 0 && hourBytes == 0;
  }

  public boolean overlaps(long fromMicros, long toMicros) {
    return firstMicros < toMicros && lastMicros >= fromMicros;
  }

  public boolean liesWithin(long fromMicros, long toMicros) {
    return firstMicros >= fromMicros && lastMicros < toMicros;
  }

  /** Whether sums of this length are exact for a range. */
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
