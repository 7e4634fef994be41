package dev.plumb.store.query;

import java.util.BitSet;
import java.util.List;

/**
 * A resolved selector: the matching series, and the conditions that remain to be tested on samples.
 *
 * @param sampleCondition SQL on the columns of samples; empty if sums suffice
 */
record ResolvedQuery(List<SeriesColumn> columns, String sampleCondition) {
  boolean needsSamples() {
    return !sampleCondition.isEmpty();
  }

  /** The same rows, each once, whatever their types. */
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
