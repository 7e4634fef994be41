package dev.plumb.server.pyroscope;

import dev.plumb.server.pyroscope.ingest.IngestLimits;
import dev.plumb.server.pyroscope.ingest.IngestService;
import dev.plumb.server.pyroscope.ingest.ProfileIntake;
import dev.plumb.server.pyroscope.otlp.OtlpIntake;
import dev.plumb.server.pyroscope.otlp.OtlpMessages;
import dev.plumb.server.pyroscope.otlp.OtlpService;
import dev.plumb.server.pyroscope.query.HeatmapQuerier;
import dev.plumb.server.pyroscope.query.LabelQuerier;
import dev.plumb.server.pyroscope.query.ProfileQuerier;
import dev.plumb.server.pyroscope.query.RenderService;
import dev.plumb.server.pyroscope.wire.MessageSchema;
import dev.plumb.server.pyroscope.wire.PyroscopeMessages;
import dev.plumb.server.pyroscope.wire.RpcMethod;
import dev.plumb.server.pyroscope.wire.RpcService;
import dev.plumb.server.schedule.QueryScheduler;
import dev.plumb.store.History;
import dev.plumb.store.Sink;
import io.helidon.webserver.http.HttpService;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes the services that speak as Pyroscope does. */
public final class PyroscopeServices {
  private static final int MAX_QUERY = 1 << 20;
  private static final int MAX_PUSH = 16 << 20;

  private PyroscopeServices() {}

  /** Answers Grafana's data source and Pyroscope's own clients. */
  public static List<HttpService> queries(History history, QueryScheduler scheduler) {
    ProfileQuerier querier = new ProfileQuerier(history);
    LabelQuerier labels = new LabelQuerier(history);
    List<RpcMethod> calls =
        List.of(
            query(
                "ProfileTypes",
                PyroscopeMessages.PROFILE_TYPES_REQUEST,
                PyroscopeMessages.PROFILE_TYPES,
                querier::profileTypes),
            query(
                "LabelNames",
                PyroscopeMessages.LABEL_NAMES_REQUEST,
                PyroscopeMessages.NAMES,
                labels::labelNames),
            query(
                "LabelValues",
                PyroscopeMessages.LABEL_VALUES_REQUEST,
                PyroscopeMessages.NAMES,
                labels::labelValues),
            query(
                "Series",
                PyroscopeMessages.SERIES_REQUEST,
                PyroscopeMessages.SERIES,
                labels::series),
            query(
                "SelectSeries",
                PyroscopeMessages.SELECT_SERIES_REQUEST,
                PyroscopeMessages.SELECT_SERIES,
                labels::selectSeries),
            query(
                "SelectMergeStacktraces",
                PyroscopeMessages.STACKTRACES_REQUEST,
                PyroscopeMessages.STACKTRACES,
                querier::stacktraces),
            query(
                "SelectMergeSpanProfile",
                PyroscopeMessages.SPAN_REQUEST,
                PyroscopeMessages.STACKTRACES,
                querier::spanProfile),
            query(
                "SelectMergeProfile",
                PyroscopeMessages.MERGE_PROFILE_REQUEST,
                PyroscopeMessages.PROFILE,
                querier::mergeProfile),
            query(
                "SelectHeatmap",
                PyroscopeMessages.HEATMAP_REQUEST,
                PyroscopeMessages.HEATMAP,
                new HeatmapQuerier(history)::select),
            query("Diff", PyroscopeMessages.DIFF_REQUEST, PyroscopeMessages.DIFF, querier::diff),
            query(
                "GetProfileStats",
                PyroscopeMessages.STATS_REQUEST,
                PyroscopeMessages.STATS,
                querier::stats),
            query(
                "AnalyzeQuery",
                PyroscopeMessages.ANALYZE_REQUEST,
                PyroscopeMessages.EMPTY,
                _ -> new byte[0]));
    return List.of(
        new RpcService(calls, scheduler), new RenderService(querier, history, scheduler));
  }

  /** Takes what Pyroscope's clients, Alloy and OpenTelemetry's collectors push. */
  public static List<HttpService> ingest(Sink sink, IngestLimits limits, QueryScheduler scheduler) {
    ProfileIntake intake = new ProfileIntake(sink, limits, scheduler.counters());
    OtlpIntake otlp = new OtlpIntake(intake, scheduler.counters());
    List<RpcMethod> calls =
        List.of(
            new RpcMethod(
                "/push.v1.PusherService/Push",
                PyroscopeMessages.PUSH_REQUEST,
                PyroscopeMessages.EMPTY,
                false,
                MAX_PUSH,
                intake::push),
            new RpcMethod(
                OtlpMessages.GRPC_PATH,
                OtlpMessages.REQUEST,
                OtlpMessages.RESPONSE,
                false,
                MAX_PUSH,
                otlp::export));
    return List.of(
        new RpcService(calls, scheduler), new IngestService(intake), new OtlpService(otlp));
  }

  private static RpcMethod query(
      String name, MessageSchema request, MessageSchema response, UnaryOperator<byte[]> method) {
    return new RpcMethod(
        "/querier.v1.QuerierService/" + name, request, response, true, MAX_QUERY, method);
  }
}
