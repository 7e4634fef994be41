package dev.plumb.server.pyroscope.wire;

/** The field numbers of Pyroscope's messages that are read and written here. */
public final class PyroscopeFields {
  // typesv1.LabelPair, typesv1.Labels
  public static final int LABEL_NAME = 1;
  public static final int LABEL_VALUE = 2;
  public static final int LABELS_LABEL = 1;

  // pushv1.PushRequest, pushv1.RawProfileSeries, pushv1.RawSample
  public static final int PUSH_SERIES = 1;
  public static final int RAW_SERIES_LABEL = 1;
  public static final int RAW_SERIES_SAMPLE = 2;
  public static final int RAW_SAMPLE_PROFILE = 1;
  public static final int RAW_SAMPLE_ID = 2;

  // querierv1.ProfileTypesRequest, querierv1.ProfileTypesResponse, typesv1.ProfileType
  public static final int PROFILE_TYPES_START = 1;
  public static final int PROFILE_TYPES_END = 2;
  public static final int PROFILE_TYPES_TYPE = 1;
  public static final int TYPE_ID = 1;
  public static final int TYPE_NAME = 2;
  public static final int TYPE_SAMPLE_TYPE = 4;
  public static final int TYPE_SAMPLE_UNIT = 5;
  public static final int TYPE_PERIOD_TYPE = 6;
  public static final int TYPE_PERIOD_UNIT = 7;

  // typesv1.LabelNamesRequest, typesv1.LabelValuesRequest, their response
  public static final int LABEL_NAMES_MATCHERS = 1;
  public static final int LABEL_NAMES_START = 2;
  public static final int LABEL_NAMES_END = 3;
  public static final int LABEL_VALUES_NAME = 1;
  public static final int LABEL_VALUES_MATCHERS = 2;
  public static final int LABEL_VALUES_START = 3;
  public static final int LABEL_VALUES_END = 4;
  public static final int NAMES_NAME = 1;

  // querierv1.SeriesRequest, querierv1.SeriesResponse
  public static final int SERIES_MATCHERS = 1;
  public static final int SERIES_LABEL_NAMES = 2;
  public static final int SERIES_START = 3;
  public static final int SERIES_END = 4;
  public static final int SERIES_LABELS_SET = 2;

  // All querierv1.Select…Requests but SelectMergeSpanProfileRequest begin with these.
  public static final int SELECT_TYPE = 1;
  public static final int SELECT_SELECTOR = 2;
  public static final int SELECT_START = 3;
  public static final int SELECT_END = 4;

  // typesv1.StackTraceSelector, typesv1.Location
  public static final int STACK_SELECTOR_CALL_SITE = 1;
  public static final int CALL_SITE_NAME = 1;

  // querierv1.SelectSeriesRequest, typesv1.Series, typesv1.Point
  public static final int SELECT_SERIES_GROUP_BY = 5;
  public static final int SELECT_SERIES_STEP = 6;
  public static final int SELECT_SERIES_STACKS = 8;
  public static final int SELECT_SERIES_LIMIT = 9;
  public static final int SELECT_SERIES_SERIES = 1;
  public static final int SERIES_POINT = 2;
  public static final int POINT_VALUE = 1;
  public static final int POINT_TIME = 2;

  // querierv1.SelectMergeStacktracesRequest
  public static final int STACKTRACES_MAX_NODES = 5;
  public static final int STACKTRACES_FORMAT = 6;
  public static final int STACKTRACES_STACKS = 7;
  public static final int STACKTRACES_PROFILE_IDS = 8;
  public static final int STACKTRACES_TRACE_IDS = 10;
  public static final int STACKTRACES_SPANS = 11;

  // querierv1.SelectMergeStacktracesResponse, querierv1.PprofProfile, querierv1.DiffResponse
  public static final int STACKTRACES_FLAME_GRAPH = 1;
  public static final int STACKTRACES_TREE = 2;
  public static final int STACKTRACES_DOT = 3;
  public static final int STACKTRACES_PPROF = 5;
  public static final int PPROF_PROFILE = 1;
  public static final int DIFF_FLAME_GRAPH = 1;

  // querierv1.SelectMergeSpanProfileRequest
  public static final int SPAN_PROFILE_TYPE = 1;
  public static final int SPAN_PROFILE_SELECTOR = 2;
  public static final int SPAN_PROFILE_START = 4;
  public static final int SPAN_PROFILE_END = 5;

  // querierv1.SelectMergeProfileRequest
  public static final int MERGE_PROFILE_MAX_NODES = 5;
  public static final int MERGE_PROFILE_STACKS = 6;
  public static final int MERGE_PROFILE_PROFILE_IDS = 7;
  public static final int MERGE_PROFILE_TRACE_IDS = 8;

  // querierv1.DiffRequest
  public static final int DIFF_LEFT = 1;
  public static final int DIFF_RIGHT = 2;

  // querierv1.SelectHeatmapRequest, its response, typesv1.HeatmapSeries, typesv1.HeatmapSlot
  public static final int HEATMAP_STEP = 5;
  public static final int HEATMAP_GROUP_BY = 6;
  public static final int HEATMAP_QUERY_TYPE = 7;
  public static final int HEATMAP_LIMIT = 9;
  public static final int HEATMAP_SERIES = 1;
  public static final int HEATMAP_SERIES_SLOT = 2;
  public static final int SLOT_TIME = 1;
  public static final int SLOT_Y_MIN = 2;
  public static final int SLOT_COUNTS = 3;

  // typesv1.GetProfileStatsResponse
  public static final int STATS_INGESTED = 1;
  public static final int STATS_OLDEST = 2;
  public static final int STATS_NEWEST = 3;

  private PyroscopeFields() {}
}
