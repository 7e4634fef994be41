package dev.plumb.store;

import dev.plumb.profile.Labels;

/**
 * Sums over time of the samples with these labels.
 *
 * @param values one per step, from the start of the range; 0 where there are no samples
 */
public record TimeSeries(Labels labels, double[] values) {
  public double total() {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum;
  }
}
