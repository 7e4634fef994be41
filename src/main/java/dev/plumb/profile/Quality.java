package dev.plumb.profile;

import java.util.HashMap;
import java.util.Map;

/**
 * How good the measurement is; part of every profile and shown in every view.
 *
 * @param samples what was kept
 * @param lost events that were due and are missing, by reason
 * @param truncated samples whose stack is not whole, by reason
 * @param unnamed samples whose leaf frame has no name, by module
 * @param rateAsked samples a second and CPU that were asked for; 0 where nothing is sampled
 * @param rateHeld what the kernel really did
 */
public record Quality(
    long samples,
    Map<String, Long> lost,
    Map<String, Long> truncated,
    Map<String, Long> unnamed,
    double rateAsked,
    double rateHeld) {
  public static final Quality UNKNOWN = new Quality(0, Map.of(), Map.of(), Map.of(), 0, 0);

  public Quality {
    lost = Map.copyOf(lost);
    truncated = Map.copyOf(truncated);
    unnamed = Map.copyOf(unnamed);
  }

  /** Of this and what came after it; the rate is that of all the time, so the later one knows. */
  public Quality plus(Quality later) {
    return new Quality(
        samples + later.samples,
        sum(lost, later.lost),
        sum(truncated, later.truncated),
        sum(unnamed, later.unnamed),
        later.rateAsked,
        later.rateHeld);
  }

  /** The same with more that is missing. */
  public Quality plusLost(String reason, long count) {
    return count == 0
        ? this
        : new Quality(
            samples, sum(lost, Map.of(reason, count)), truncated, unnamed, rateAsked, rateHeld);
  }

  private static Map<String, Long> sum(Map<String, Long> a, Map<String, Long> b) {
    Map<String, Long> sum = new HashMap<>(a);
    b.forEach((reason, count) -> sum.merge(reason, count, Long::sum));
    return sum;
  }

  public long lostTotal() {
    return sum(lost);
  }

  public long truncatedTotal() {
    return sum(truncated);
  }

  public long unnamedTotal() {
    return sum(unnamed);
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}
