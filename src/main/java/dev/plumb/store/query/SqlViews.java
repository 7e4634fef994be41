package dev.plumb.store.query;

import dev.plumb.store.TimeRange;
import dev.plumb.store.segment.Tier;
import java.util.List;
import java.util.stream.Collectors;

/** The views for users' SQL queries, which {@code docs/sql.md} describes. */
final class SqlViews {
  private static final String SERIES =
      """
      CREATE OR REPLACE TEMP VIEW series AS
      SELECT s.id, m.mode, m.type, m.count_type, m.period,
        coalesce(l.labels['comm'], '') AS comm,
        coalesce(l.labels['service_name'], '') AS service_name,
        coalesce(l.labels['container'], '') AS container,
        coalesce(l.labels['cgroup'], '') AS cgroup,
        coalesce(l.labels['host'], '') AS host,
        l.labels
      FROM all_series s JOIN measures m ON m.id = s.measure
      LEFT JOIN (SELECT series, map(list(name), list(value)) AS labels
        FROM series_labels GROUP BY series) l ON l.series = s.id
      """;

  private static final String FRAMES =
      """
      CREATE OR REPLACE TEMP VIEW frames AS
      SELECT id, name,
        ['kernel', 'native', 'jit', 'interpreted', 'waiting'][kind + 1] AS kind,
        inlined, named, module, build_id, address, byte_offset, file, line
      FROM all_frames
      """;

  private static final String STACKS =
      """
      CREATE OR REPLACE TEMP VIEW stacks AS
      SELECT s.id, s.caller, s.frame, f.name AS leaf, f.module, s.flags & 1 = 0 AS whole
      FROM all_stacks s LEFT JOIN all_frames f ON f.id = s.frame
      """;

  private static final String SAMPLES =
      """
      CREATE OR REPLACE TEMP VIEW samples AS
      SELECT make_timestamp(r.time) AS time, s.mode, s.type, s.service_name, s.comm, r.pid, r.tid,
        r.thread, r.cpu, r.stack, r.value, r.count, r.series, r.detail, r.start
      FROM (%s) r JOIN series s ON s.id = r.series
      """;

  private static final String SUMS =
      """
      CREATE OR REPLACE TEMP VIEW %s AS
      SELECT make_timestamp(r.time) AS time, s.mode, s.type, s.service_name, s.comm, r.stack,
        r.value, r.count, r.series
      FROM (%s) r JOIN series s ON s.id = r.series
      """;

  private static final String PROCESSES =
      """
      CREATE OR REPLACE TEMP VIEW processes AS
      SELECT r.pid, make_timestamp(r.start // 1000) AS start, s.comm, s.service_name, s.container,
        s.cgroup, s.mode, s.type, count(DISTINCT r.tid) AS threads,
        CAST(sum(r.value) AS BIGINT) AS value, CAST(sum(r.count) AS BIGINT) AS count
      FROM (%s) r JOIN series s ON s.id = r.series
      GROUP BY ALL
      """;

  private static final String QUALITY =
      """
      CREATE OR REPLACE TEMP VIEW quality AS
      SELECT make_timestamp(time) AS time, mode, what, reason, n FROM recording_quality
      """;

  private SqlViews() {}

  static List<String> of(StoreSnapshot snapshot) {
    TimeRange all = TimeRange.ALL;
    String columns = "time, series, pid, tid, start, thread, detail, stack, cpu, value, count";
    String sums = "time, series, stack, value, count";
    return List.of(
        SERIES,
        FRAMES,
        STACKS,
        QUALITY,
        SAMPLES.formatted(union(columns, snapshot.samples(all))),
        SUMS.formatted("minutes", union(sums, snapshot.tier(Tier.MINUTES))),
        SUMS.formatted("hours", union(sums, snapshot.tier(Tier.HOURS))),
        PROCESSES.formatted(union("series, pid, tid, start, value, count", snapshot.threads(all))));
  }

  private static String union(String columns, List<RowSource> sources) {
    return sources.stream()
        .map(source -> "SELECT " + columns + " FROM " + source.from())
        .collect(Collectors.joining(" UNION ALL "));
  }
}
