package dev.plumb.store.query;

import java.util.BitSet;
import java.util.List;

/**
 * A selector, resolved: which series match, and what is still to be asked of each single sample.
 *
 * @param sampleCondition SQL on the columns of samples; empty if sums can answer
 */
record ResolvedQuery(List<SeriesColumn> columns, String sampleCondition) {
  boolean needsSamples() {
    return !sampleCondition.isEmpty();
  }

  /** The same rows, each once, whatever is measured. */
  ResolvedQuery anyType() {
    BitSet all = new BitSet();
    columns.forEach(column -> all.or(column.series()));
    return new ResolvedQuery(
        List.of(new SeriesColumn(SeriesColumn.VALUE, columns.getFirst().type(), all)),
        sampleCondition);
  }

  boolean isEmpty() {
    return columns.isEmpty();
  }
}
