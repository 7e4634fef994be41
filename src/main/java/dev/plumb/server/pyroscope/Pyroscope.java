package dev.plumb.server.pyroscope;

import dev.plumb.server.Traffic;
import dev.plumb.store.History;
import io.helidon.webserver.http.HttpService;
import java.util.List;
import java.util.function.UnaryOperator;

/** Makes the services that speak as Pyroscope does. */
public final class Pyroscope {
  private static final int MAX_QUERY = 1 << 20;

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
            query("Diff", Messages.DIFF_REQUEST, Messages.DIFF, querier::diff),
            query("GetProfileStats", Messages.STATS_REQUEST, Messages.STATS, querier::stats),
            query("AnalyzeQuery", Messages.ANALYZE_REQUEST, Messages.EMPTY, _ -> new byte[0]));
    return List.of(new RpcService(calls, traffic), new RenderService(querier, history, traffic));
  }

  private static Rpc query(
      String name, Schema request, Schema response, UnaryOperator<byte[]> method) {
    return new Rpc(
        "/querier.v1.QuerierService/" + name, request, response, true, MAX_QUERY, method);
  }
}
