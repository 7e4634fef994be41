package dev.plumb.server.pyroscope.ingest;

import java.time.Duration;

/**
 * What a pushed profile may be; Pyroscope's own defaults.
 *
 * @param maxBytes unpacked
 * @param maxDepth of deeper stacks the rest is cut, and said to be
 * @param maxStackNodes different beginnings of stacks, which is what stacks take in memory
 * @param maxAge what is older comes from a wrong clock, or would be thrown away at once
 * @param maxAhead how far a client's clock may be ahead
 */
public record IngestLimits(
    int maxBytes,
    int maxSamples,
    int maxDepth,
    int maxStackNodes,
    int maxLabels,
    Duration maxAge,
    Duration maxAhead) {
  public static final IngestLimits DEFAULT =
      new IngestLimits(
          4 << 20,
          16_000,
          1_000,
          stackNodes(Runtime.getRuntime().maxMemory()),
          30,
          Duration.ofHours(1),
          Duration.ofMinutes(10));

  /** A tenth of the heap for them, at thirty bytes each: 335 000 of 96 MB. */
  private static int stackNodes(long heapBytes) {
    return Math.clamp(heapBytes / 300, 100_000, 4_000_000);
  }

  /** Different frames of profiles that are text. */
  int maxFrames() {
    return maxStackNodes / 8;
  }

  /** For stores that take older profiles. */
  public IngestLimits withMaxAge(Duration age) {
    return new IngestLimits(
        maxBytes, maxSamples, maxDepth, maxStackNodes, maxLabels, age, maxAhead);
  }
}
