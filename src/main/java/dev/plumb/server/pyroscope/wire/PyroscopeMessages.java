package dev.plumb.server.pyroscope.wire;

import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.BOOL;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.BYTES;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.DOUBLE;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.INT32;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.INT64;
import static dev.plumb.server.pyroscope.wire.MessageSchema.Kind.TEXT;

/** The messages of querier.v1, types.v1, push.v1 and google.v1 that Plumb speaks. */
public final class PyroscopeMessages {
  private static final MessageSchema LABEL =
      new MessageSchema("typesv1.LabelPair").one(1, "name", TEXT).one(2, "value", TEXT);

  private static final MessageSchema LABELS =
      new MessageSchema("typesv1.Labels").many(1, "labels", () -> LABEL);

  public static final MessageSchema PROFILE_TYPES_REQUEST =
      new MessageSchema("querierv1.ProfileTypesRequest")
          .one(1, "start", INT64)
          .one(2, "end", INT64);

  private static final MessageSchema PROFILE_TYPE =
      new MessageSchema("typesv1.ProfileType")
          .one(1, "ID", TEXT)
          .one(2, "name", TEXT)
          .one(4, "sample_type", TEXT)
          .one(5, "sample_unit", TEXT)
          .one(6, "period_type", TEXT)
          .one(7, "period_unit", TEXT);

  public static final MessageSchema PROFILE_TYPES =
      new MessageSchema("querierv1.ProfileTypesResponse")
          .many(1, "profile_types", () -> PROFILE_TYPE);

  public static final MessageSchema LABEL_NAMES_REQUEST =
      new MessageSchema("typesv1.LabelNamesRequest")
          .many(1, "matchers", TEXT)
          .one(2, "start", INT64)
          .one(3, "end", INT64);

  public static final MessageSchema LABEL_VALUES_REQUEST =
      new MessageSchema("typesv1.LabelValuesRequest")
          .one(1, "name", TEXT)
          .many(2, "matchers", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64);

  public static final MessageSchema NAMES =
      new MessageSchema("typesv1.LabelNamesResponse").many(1, "names", TEXT);

  public static final MessageSchema SERIES_REQUEST =
      new MessageSchema("querierv1.SeriesRequest")
          .many(1, "matchers", TEXT)
          .many(2, "label_names", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64);

  public static final MessageSchema SERIES =
      new MessageSchema("querierv1.SeriesResponse").many(2, "labels_set", () -> LABELS);

  private static final MessageSchema STACK_SELECTOR =
      new MessageSchema("typesv1.StackTraceSelector")
          .many(1, "call_site", () -> new MessageSchema("typesv1.Location").one(1, "name", TEXT));

  public static final MessageSchema SELECT_SERIES_REQUEST =
      new MessageSchema("querierv1.SelectSeriesRequest")
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

  private static final MessageSchema POINT =
      new MessageSchema("typesv1.Point").one(1, "value", DOUBLE).one(2, "timestamp", INT64);

  public static final MessageSchema SELECT_SERIES =
      new MessageSchema("querierv1.SelectSeriesResponse")
          .many(
              1,
              "series",
              () ->
                  new MessageSchema("typesv1.Series")
                      .many(1, "labels", () -> LABEL)
                      .many(2, "points", () -> POINT));

  public static final MessageSchema STACKTRACES_REQUEST =
      new MessageSchema("querierv1.SelectMergeStacktracesRequest")
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

  public static final MessageSchema SPAN_REQUEST =
      new MessageSchema("querierv1.SelectMergeSpanProfileRequest")
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

  private static final MessageSchema LEVEL =
      new MessageSchema("querierv1.Level").many(1, "values", INT64);

  private static final MessageSchema FLAME_GRAPH =
      new MessageSchema("querierv1.FlameGraph")
          .many(1, "names", TEXT)
          .many(2, "levels", () -> LEVEL)
          .one(3, "total", INT64)
          .one(4, "max_self", INT64)
          .one(5, "leftTicks", INT64)
          .one(6, "rightTicks", INT64);

  public static final MessageSchema STACKTRACES =
      new MessageSchema("querierv1.SelectMergeStacktracesResponse")
          .one(1, "flamegraph", () -> FLAME_GRAPH)
          .one(2, "tree", BYTES)
          .one(3, "dot", TEXT)
          .one(
              5,
              "pprof",
              () ->
                  new MessageSchema("querierv1.PprofProfile")
                      .one(1, "profile", () -> PyroscopeMessages.PROFILE));

  public static final MessageSchema DIFF_REQUEST =
      new MessageSchema("querierv1.DiffRequest")
          .one(1, "left", () -> STACKTRACES_REQUEST)
          .one(2, "right", () -> STACKTRACES_REQUEST);

  public static final MessageSchema DIFF =
      new MessageSchema("querierv1.DiffResponse").one(1, "flamegraph", () -> FLAME_GRAPH);

  public static final MessageSchema MERGE_PROFILE_REQUEST =
      new MessageSchema("querierv1.SelectMergeProfileRequest")
          .one(1, "profile_typeID", TEXT)
          .one(2, "label_selector", TEXT)
          .one(3, "start", INT64)
          .one(4, "end", INT64)
          .one(5, "max_nodes", INT64)
          .one(6, "stack_trace_selector", () -> STACK_SELECTOR)
          .many(7, "profile_id_selector", TEXT)
          .many(8, "trace_id_selector", TEXT);

  public static final MessageSchema HEATMAP_REQUEST =
      new MessageSchema("querierv1.SelectHeatmapRequest")
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

  private static final MessageSchema SLOT =
      new MessageSchema("typesv1.HeatmapSlot")
          .one(1, "timestamp", INT64)
          .many(2, "y_min", DOUBLE)
          .many(3, "counts", INT32);

  public static final MessageSchema HEATMAP =
      new MessageSchema("querierv1.SelectHeatmapResponse")
          .many(
              1,
              "series",
              () ->
                  new MessageSchema("typesv1.HeatmapSeries")
                      .many(1, "labels", () -> LABEL)
                      .many(2, "slots", () -> SLOT));

  public static final MessageSchema STATS_REQUEST =
      new MessageSchema("typesv1.GetProfileStatsRequest");

  public static final MessageSchema STATS =
      new MessageSchema("typesv1.GetProfileStatsResponse")
          .one(1, "data_ingested", BOOL)
          .one(2, "oldest_profile_time", INT64)
          .one(3, "newest_profile_time", INT64);

  public static final MessageSchema ANALYZE_REQUEST =
      new MessageSchema("querierv1.AnalyzeQueryRequest")
          .one(2, "start", INT64)
          .one(3, "end", INT64)
          .one(4, "query", TEXT);

  public static final MessageSchema EMPTY = new MessageSchema("emptypb.Empty");

  public static final MessageSchema PUSH_REQUEST =
      new MessageSchema("pushv1.PushRequest")
          .many(
              1,
              "series",
              () ->
                  new MessageSchema("pushv1.RawProfileSeries")
                      .many(1, "labels", () -> LABEL)
                      .many(
                          2,
                          "samples",
                          () ->
                              new MessageSchema("pushv1.RawSample")
                                  .one(1, "raw_profile", BYTES)
                                  .one(2, "ID", TEXT)));

  private static final MessageSchema VALUE_TYPE =
      new MessageSchema("googlev1.ValueType").one(1, "type", INT64).one(2, "unit", INT64);

  private static final MessageSchema SAMPLE =
      new MessageSchema("googlev1.Sample")
          .many(1, "location_id", INT64)
          .many(2, "value", INT64)
          .many(
              3,
              "label",
              () ->
                  new MessageSchema("googlev1.Label")
                      .one(1, "key", INT64)
                      .one(2, "str", INT64)
                      .one(3, "num", INT64)
                      .one(4, "num_unit", INT64));

  private static final MessageSchema MAPPING =
      new MessageSchema("googlev1.Mapping")
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

  private static final MessageSchema LOCATION =
      new MessageSchema("googlev1.Location")
          .one(1, "id", INT64)
          .one(2, "mapping_id", INT64)
          .one(3, "address", INT64)
          .many(
              4,
              "line",
              () ->
                  new MessageSchema("googlev1.Line")
                      .one(1, "function_id", INT64)
                      .one(2, "line", INT64));

  private static final MessageSchema FUNCTION =
      new MessageSchema("googlev1.Function")
          .one(1, "id", INT64)
          .one(2, "name", INT64)
          .one(3, "system_name", INT64)
          .one(4, "filename", INT64)
          .one(5, "start_line", INT64);

  public static final MessageSchema PROFILE =
      new MessageSchema("googlev1.Profile")
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

  private PyroscopeMessages() {}
}
