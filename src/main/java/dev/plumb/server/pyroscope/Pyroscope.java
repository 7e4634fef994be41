package dev.plumb.server.pyroscope;

import dev.plumb.server.Traffic;
import dev.plumb.store.History;
import dev.plumb.store.Sink;
import io.helidon.webserver.http.HttpService;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes the services that speak as Pyroscope does. */
public final class Pyroscope {
  private static final int MAX_QUERY = 1 << 20;
  private static final int MAX_PUSH = 16 << 20;

  private Pyroscope() {}

  /** Answers Grafana's data source and Pyroscope's own clients. */
  public static List<HttpService> queries(History history, Traffic traffic) {
    Querier querier = new Querier(history);
    LabelQuerier labels = new LabelQuerier(history);
    List<Rpc> calls =
        List.of(
            query(
                "ProfileTypes",
                Messages.PROFILE_TYPES_REQUEST,
                Messages.PROFILE_TYPES,
                querier::profileTypes),
            query("LabelNames", Messages.LABEL_NAMES_REQUEST, Messages.NAMES, labels::labelNames),
            query(
                "LabelValues", Messages.LABEL_VALUES_REQUEST, Messages.NAMES, labels::labelValues),
            query("Series", Messages.SERIES_REQUEST, Messages.SERIES, labels::series),
            query(
                "SelectSeries",
                Messages.SELECT_SERIES_REQUEST,
                Messages.SELECT_SERIES,
                labels::selectSeries),
            query(
                "SelectMergeStacktraces",
                Messages.STACKTRACES_REQUEST,
                Messages.STACKTRACES,
                querier::stacktraces),
            query(
                "SelectMergeSpanProfile",
                Messages.SPAN_REQUEST,
                Messages.STACKTRACES,
                querier::spanProfile),
            query(
                "SelectMergeProfile",
                Messages.MERGE_PROFILE_REQUEST,
                Messages.PROFILE,
                querier::mergeProfile),
            query(
                "SelectHeatmap",
                Messages.HEATMAP_REQUEST,
                Messages.HEATMAP,
                new HeatmapQuerier(history)::select),
            query("Diff", Messages.DIFF_REQUEST, Messages.DIFF, querier::diff),
            query("GetProfileStats", Messages.STATS_REQUEST, Messages.STATS, querier::stats),
            query("AnalyzeQuery", Messages.ANALYZE_REQUEST, Messages.EMPTY, _ -> new byte[0]));
    return List.of(new RpcService(calls, traffic), new RenderService(querier, history, traffic));
  }

  /** Takes what Pyroscope's clients, Alloy and OpenTelemetry's collectors push. */
  public static List<HttpService> ingest(Sink sink, IngestLimits limits, Traffic traffic) {
    Intake intake = new Intake(sink, limits, traffic.counters());
    Otlp otlp = new Otlp(intake, traffic.counters());
    List<Rpc> calls =
        List.of(
            new Rpc(
                "/push.v1.PusherService/Push",
                Messages.PUSH_REQUEST,
                Messages.EMPTY,
                false,
                MAX_PUSH,
                intake::push),
            new Rpc(
                OtlpMessages.GRPC_PATH,
                OtlpMessages.REQUEST,
                OtlpMessages.RESPONSE,
                false,
                MAX_PUSH,
                otlp::export));
    return List.of(
        new RpcService(calls, traffic), new IngestService(intake), new OtlpService(otlp));
  }

  private static Rpc query(
      String name, Schema request, Schema response, UnaryOperator<byte[]> method) {
    return new Rpc(
        "/querier.v1.QuerierService/" + name, request, response, true, MAX_QUERY, method);
  }
}
