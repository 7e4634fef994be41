package dev.plumb.store;

import java.util.List;

/**
 * A selector, resolved: which series match, and what is still to be asked of each single sample.
 *
 * @param sampleCondition SQL on the columns of samples; empty if sums can answer
 */
record Question(List<Column> columns, String sampleCondition) {
  boolean needsSamples() {
    return !sampleCondition.isEmpty();
  }

  boolean isEmpty() {
    return columns.isEmpty();
  }
}
