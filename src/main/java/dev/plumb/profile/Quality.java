package dev.plumb.profile;

import java.util.HashMap;
import java.util.Map;

/**
 * The quality of a measurement; part of every profile and shown in every view.
 *
 * @param samples the number of samples that were kept
 * @param lost events that should have been samples but are missing, by reason
 * @param truncated samples with an incomplete stack, by reason
 * @param unnamed samples whose leaf frame has no name, by module
 * @param rateAsked requested sampling frequency per CPU in Hz; 0 if nothing is sampled
 * @param rateHeld the frequency that the kernel achieved
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

  /** This and a later one together; the later rate already covers the whole time. */
  public Quality plus(Quality later) {
    return new Quality(
        samples + later.samples,
        sum(lost, later.lost),
        sum(truncated, later.truncated),
        sum(unnamed, later.unnamed),
        later.rateAsked,
        later.rateHeld);
  }

  /** The same with more losses. */
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
