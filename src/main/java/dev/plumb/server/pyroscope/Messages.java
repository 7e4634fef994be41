package dev.plumb.server.pyroscope;

import static dev.plumb.server.pyroscope.Schema.Kind.BOOL;
import static dev.plumb.server.pyroscope.Schema.Kind.BYTES;
import static dev.plumb.server.pyroscope.Schema.Kind.DOUBLE;
import static dev.plumb.server.pyroscope.Schema.Kind.INT32;
import static dev.plumb.server.pyroscope.Schema.Kind.INT64;
import static dev.plumb.server.pyroscope.Schema.Kind.TEXT;

/** The messages of querier.v1, types.v1, push.v1 and google.v1 that Plumb speaks. */
final class Messages {
  private static final Schema LABEL =
      new Schema("typesv1.LabelPair").one(1, "name", TEXT).one(2, "value", TEXT);

  private static final Schema LABELS = new Schema("typesv1.Labels").many(1, "labels", () -> LABEL);

  static final Schema PROFILE_TYPES_REQUEST =
      new Schema("querierv1.ProfileTypesRequest").one(1, "start", INT64).one(2, "end", INT64);

  private static final Schema PROFILE_TYPE =
      new Schema("typesv1.ProfileType")
          .one(1, "ID", TEXT)
          .one(2, "name", TEXT)
          .one(4, "sample_type", TEXT)
          .one(5, "sample_unit", TEXT)
          .one(6, "period_type", TEXT)
          .one(7, "period_unit", TEXT);

  static final Schema PROFILE_TYPES =
      new Schema("querierv1.ProfileTypesResponse").many(1, "profile_types", () -> PROFILE_TYPE);

  static final Schema LABEL_NAMES_REQUEST =
      new Schema("typesv1.LabelNamesRequest")
          .many(1, "matchers", TEXT)
          .one(2, "start", INT64)
          .one(3, "end", INT64);

  static final Schema LABEL_VALUES_REQUEST =
      new Schema("typesv1.LabelValuesRequest")
          .one(1, "name", TEXT)
          .many(2, "matchers", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64);

  static final Schema NAMES = new Schema("typesv1.LabelNamesResponse").many(1, "names", TEXT);

  static final Schema SERIES_REQUEST =
      new Schema("querierv1.SeriesRequest")
          .many(1, "matchers", TEXT)
          .many(2, "label_names", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64);

  static final Schema SERIES =
      new Schema("querierv1.SeriesResponse").many(2, "labels_set", () -> LABELS);

  private static final Schema STACK_SELECTOR =
      new Schema("typesv1.StackTraceSelector")
          .many(1, "call_site", () -> new Schema("typesv1.Location").one(1, "name", TEXT));

  static final Schema SELECT_SERIES_REQUEST =
      new Schema("querierv1.SelectSeriesRequest")
          .one(1, "profile_typeID", TEXT)
          .one(2, "label_selector", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64)
          .many(5, "group_by", TEXT)
          .one(6, "step", DOUBLE)
          .oneOf(
              7,
              "aggregation",
              "TIME_SERIES_AGGREGATION_TYPE_SUM",
              "TIME_SERIES_AGGREGATION_TYPE_AVERAGE")
          .one(8, "stack_trace_selector", () -> STACK_SELECTOR)
          .one(9, "limit", INT64);

  private static final Schema POINT =
      new Schema("typesv1.Point").one(1, "value", DOUBLE).one(2, "timestamp", INT64);

  static final Schema SELECT_SERIES =
      new Schema("querierv1.SelectSeriesResponse")
          .many(
              1,
              "series",
              () ->
                  new Schema("typesv1.Series")
                      .many(1, "labels", () -> LABEL)
                      .many(2, "points", () -> POINT));

  static final Schema STACKTRACES_REQUEST =
      new Schema("querierv1.SelectMergeStacktracesRequest")
          .one(1, "profile_typeID", TEXT)
          .one(2, "label_selector", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64)
          .one(5, "max_nodes", INT64)
          .oneOf(
              6,
              "format",
              "PROFILE_FORMAT_UNSPECIFIED",
              "PROFILE_FORMAT_FLAMEGRAPH",
              "PROFILE_FORMAT_TREE",
              "PROFILE_FORMAT_DOT",
              "PROFILE_FORMAT_PPROF")
          .one(7, "stack_trace_selector", () -> STACK_SELECTOR)
          .many(8, "profile_id_selector", TEXT)
          .many(10, "trace_id_selector", TEXT)
          .many(11, "span_selector", TEXT);

  static final Schema SPAN_REQUEST =
      new Schema("querierv1.SelectMergeSpanProfileRequest")
          .one(1, "profile_typeID", TEXT)
          .one(2, "label_selector", TEXT)
          .many(3, "span_selector", TEXT)
          .one(4, "start", INT64)
          .one(5, "end", INT64)
          .one(6, "max_nodes", INT64)
          .oneOf(
              7,
              "format",
              "PROFILE_FORMAT_UNSPECIFIED",
              "PROFILE_FORMAT_FLAMEGRAPH",
              "PROFILE_FORMAT_TREE");

  private static final Schema LEVEL = new Schema("querierv1.Level").many(1, "values", INT64);

  private static final Schema FLAME_GRAPH =
      new Schema("querierv1.FlameGraph")
          .many(1, "names", TEXT)
          .many(2, "levels", () -> LEVEL)
          .one(3, "total", INT64)
          .one(4, "max_self", INT64)
          .one(5, "leftTicks", INT64)
          .one(6, "rightTicks", INT64);

  static final Schema STACKTRACES =
      new Schema("querierv1.SelectMergeStacktracesResponse")
          .one(1, "flamegraph", () -> FLAME_GRAPH)
          .one(2, "tree", BYTES)
          .one(3, "dot", TEXT)
          .one(
              5,
              "pprof",
              () -> new Schema("querierv1.PprofProfile").one(1, "profile", () -> Messages.PROFILE));

  static final Schema DIFF_REQUEST =
      new Schema("querierv1.DiffRequest")
          .one(1, "left", () -> STACKTRACES_REQUEST)
          .one(2, "right", () -> STACKTRACES_REQUEST);

  static final Schema DIFF =
      new Schema("querierv1.DiffResponse").one(1, "flamegraph", () -> FLAME_GRAPH);

  static final Schema MERGE_PROFILE_REQUEST =
      new Schema("querierv1.SelectMergeProfileRequest")
          .one(1, "profile_typeID", TEXT)
          .one(2, "label_selector", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64)
          .one(5, "max_nodes", INT64)
          .one(6, "stack_trace_selector", () -> STACK_SELECTOR)
          .many(7, "profile_id_selector", TEXT)
          .many(8, "trace_id_selector", TEXT);

  static final Schema HEATMAP_REQUEST =
      new Schema("querierv1.SelectHeatmapRequest")
          .one(1, "profile_typeID", TEXT)
          .one(2, "label_selector", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64)
          .one(5, "step", DOUBLE)
          .many(6, "group_by", TEXT)
          .oneOf(
              7,
              "query_type",
              "HEATMAP_QUERY_TYPE_UNSPECIFIED",
              "HEATMAP_QUERY_TYPE_INDIVIDUAL",
              "HEATMAP_QUERY_TYPE_SPAN")
          .oneOf(
              8,
              "exemplar_type",
              "EXEMPLAR_TYPE_UNSPECIFIED",
              "EXEMPLAR_TYPE_NONE",
              "EXEMPLAR_TYPE_INDIVIDUAL",
              "EXEMPLAR_TYPE_SPAN")
          .one(9, "limit", INT64);

  private static final Schema SLOT =
      new Schema("typesv1.HeatmapSlot")
          .one(1, "timestamp", INT64)
          .many(2, "y_min", DOUBLE)
          .many(3, "counts", INT32);

  static final Schema HEATMAP =
      new Schema("querierv1.SelectHeatmapResponse")
          .many(
              1,
              "series",
              () ->
                  new Schema("typesv1.HeatmapSeries")
                      .many(1, "labels", () -> LABEL)
                      .many(2, "slots", () -> SLOT));

  static final Schema STATS_REQUEST = new Schema("typesv1.GetProfileStatsRequest");

  static final Schema STATS =
      new Schema("typesv1.GetProfileStatsResponse")
          .one(1, "data_ingested", BOOL)
          .one(2, "oldest_profile_time", INT64)
          .one(3, "newest_profile_time", INT64);

  static final Schema ANALYZE_REQUEST =
      new Schema("querierv1.AnalyzeQueryRequest")
          .one(2, "start", INT64)
          .one(3, "end", INT64)
          .one(4, "query", TEXT);

  static final Schema EMPTY = new Schema("emptypb.Empty");

  static final Schema PUSH_REQUEST =
      new Schema("pushv1.PushRequest")
          .many(
              1,
              "series",
              () ->
                  new Schema("pushv1.RawProfileSeries")
                      .many(1, "labels", () -> LABEL)
                      .many(
                          2,
                          "samples",
                          () ->
                              new Schema("pushv1.RawSample")
                                  .one(1, "raw_profile", BYTES)
                                  .one(2, "ID", TEXT)));

  private static final Schema VALUE_TYPE =
      new Schema("googlev1.ValueType").one(1, "type", INT64).one(2, "unit", INT64);

  private static final Schema SAMPLE =
      new Schema("googlev1.Sample")
          .many(1, "location_id", INT64)
          .many(2, "value", INT64)
          .many(
              3,
              "label",
              () ->
                  new Schema("googlev1.Label")
                      .one(1, "key", INT64)
                      .one(2, "str", INT64)
                      .one(3, "num", INT64)
                      .one(4, "num_unit", INT64));

  private static final Schema MAPPING =
      new Schema("googlev1.Mapping")
          .one(1, "id", INT64)
          .one(2, "memory_start", INT64)
          .one(3, "memory_limit", INT64)
          .one(4, "file_offset", INT64)
          .one(5, "filename", INT64)
          .one(6, "build_id", INT64)
          .one(7, "has_functions", BOOL)
          .one(8, "has_filenames", BOOL)
          .one(9, "has_line_numbers", BOOL)
          .one(10, "has_inline_frames", BOOL);

  private static final Schema LOCATION =
      new Schema("googlev1.Location")
          .one(1, "id", INT64)
          .one(2, "mapping_id", INT64)
          .one(3, "address", INT64)
          .many(
              4,
              "line",
              () -> new Schema("googlev1.Line").one(1, "function_id", INT64).one(2, "line", INT64));

  private static final Schema FUNCTION =
      new Schema("googlev1.Function")
          .one(1, "id", INT64)
          .one(2, "name", INT64)
          .one(3, "system_name", INT64)
          .one(4, "filename", INT64)
          .one(5, "start_line", INT64);

  static final Schema PROFILE =
      new Schema("googlev1.Profile")
          .many(1, "sample_type", () -> VALUE_TYPE)
          .many(2, "sample", () -> SAMPLE)
          .many(3, "mapping", () -> MAPPING)
          .many(4, "location", () -> LOCATION)
          .many(5, "function", () -> FUNCTION)
          .many(6, "string_table", TEXT)
          .one(9, "time_nanos", INT64)
          .one(10, "duration_nanos", INT64)
          .one(11, "period_type", () -> VALUE_TYPE)
          .one(12, "period", INT64)
          .many(13, "comment", INT64)
          .one(14, "default_sample_type", INT64);

  private Messages() {}
}
