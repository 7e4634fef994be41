package dev.plumb.store.query;

import dev.plumb.profile.ProfileType;
import java.util.BitSet;

/**
 * Which series to read, and which of their two numbers.
 *
 * @param name column of the number
 * @param series ids
 */
record SeriesColumn(String name, ProfileType type, BitSet series) {
  static final String VALUE = "value";
  static final String COUNT = "count";

  /** As a condition of SQL. */
  String condition() {
    return condition(series);
  }

  /** Written as ranges, which are short where ids are dense. */
  static String condition(BitSet ids) {
    StringBuilder text = new StringBuilder("(");
    StringBuilder single = new StringBuilder();
    for (int from = ids.nextSetBit(0); from >= 0; ) {
      int to = ids.nextClearBit(from);
      if (to - from < 3) {
        for (int id = from; id < to; id++) {
          single.append(single.isEmpty() ? "" : ",").append(id);
        }
      } else {
        text.append(text.length() > 1 ? " OR " : "")
            .append("series BETWEEN ")
            .append(from)
            .append(" AND ")
            .append(to - 1);
      }
      from = ids.nextSetBit(to);
    }
    if (!single.isEmpty()) {
      text.append(text.length() > 1 ? " OR " : "").append("series IN (").append(single).append(")");
    }
    return text.length() == 1 ? "false" : text.append(")").toString();
  }
}
