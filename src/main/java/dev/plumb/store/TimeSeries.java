package dev.plumb.store;

import dev.plumb.profile.Labels;

/**
 * Sums over time of what has these labels.
 *
 * @param values one a step of the range, from its start; 0 where there is nothing
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
