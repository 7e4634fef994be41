package dev.plumb.server.pyroscope.ingest;

import java.time.Duration;

/**
 * The limits for a pushed profile; most are Pyroscope's defaults.
 *
 * @param maxBytes unpacked
 * @param maxDepth deeper stacks are cut, and the profile says so
 * @param maxStackNodes different stack prefixes, which determine the memory that stacks take
 * @param maxAge an older profile comes from a wrong clock, or would be deleted at once
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

  /** A tenth of the heap, at 30 bytes per node: 800 000 for a heap of 230 MB. */
  private static int stackNodes(long heapBytes) {
    return Math.clamp(heapBytes / 300, 100_000, 4_000_000);
  }

  /** Different frames in a profile in a text format. */
  int maxFrames() {
    return maxStackNodes / 8;
  }

  /** For stores that take older profiles. */
  public IngestLimits withMaxAge(Duration age) {
    return new IngestLimits(
        maxBytes, maxSamples, maxDepth, maxStackNodes, maxLabels, age, maxAhead);
  }
}
