package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"sort"
	"strconv"
	"strings"

	"connectrpc.com/connect"
	googlev1 "github.com/grafana/pyroscope/api/gen/proto/go/google/v1"
	querierv1 "github.com/grafana/pyroscope/api/gen/proto/go/querier/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/querier/v1/querierv1connect"
	typesv1 "github.com/grafana/pyroscope/api/gen/proto/go/types/v1"
	"golang.org/x/net/http2"
)

const cpu = "process_cpu:cpu:nanoseconds:cpu:nanoseconds"

// Asks every question and prints a line for each answer.
func query(address, protocol, startText, endText string) {
	start := must(strconv.ParseInt(startText, 10, 64))
	end := must(strconv.ParseInt(endText, 10, 64))
	client := querierv1connect.NewQuerierServiceClient(httpClient(protocol), address, options(protocol)...)
	ctx := context.Background()
	types := must(client.ProfileTypes(ctx, connect.NewRequest(&querierv1.ProfileTypesRequest{Start: start, End: end})))
	for _, t := range types.Msg.ProfileTypes {
		fmt.Println("type", t.ID, t.Name, t.SampleType, t.SampleUnit, t.PeriodType, t.PeriodUnit)
	}
	names := must(client.LabelNames(ctx, connect.NewRequest(&typesv1.LabelNamesRequest{Start: start, End: end})))
	fmt.Println("names", strings.Join(names.Msg.Names, " "))
	values := must(client.LabelValues(ctx, connect.NewRequest(&typesv1.LabelValuesRequest{
		Name: "service_name", Matchers: []string{`{__profile_type__="` + cpu + `"}`}, Start: start, End: end})))
	fmt.Println("values", strings.Join(values.Msg.Names, " "))
	series := must(client.Series(ctx, connect.NewRequest(&querierv1.SeriesRequest{
		LabelNames: []string{"service_name", "__profile_type__"}, Start: start, End: end})))
	for _, labels := range series.Msg.LabelsSet {
		fmt.Println("series", text(labels.Labels))
	}
	limit := int64(1)
	selected := must(client.SelectSeries(ctx, connect.NewRequest(&querierv1.SelectSeriesRequest{
		ProfileTypeID: cpu, LabelSelector: "{}", Start: start, End: end, Step: 15, GroupBy: []string{"service_name"}})))
	for _, s := range selected.Msg.Series {
		sum := 0.0
		for _, p := range s.Points {
			sum += p.Value
		}
		fmt.Printf("sums %s %d %.0f %d\n", text(s.Labels), len(s.Points), sum, s.Points[0].Timestamp-start)
	}
	limited := must(client.SelectSeries(ctx, connect.NewRequest(&querierv1.SelectSeriesRequest{
		ProfileTypeID: cpu, LabelSelector: "{}", Start: start, End: end, Step: 15, GroupBy: []string{"service_name"}, Limit: &limit})))
	fmt.Println("limited", len(limited.Msg.Series), text(limited.Msg.Series[0].Labels))
	merged := must(client.SelectMergeStacktraces(ctx, connect.NewRequest(stacktraces(`{service_name=~"svc.*"}`, start, end))))
	g := merged.Msg.Flamegraph
	fmt.Println("flame", g.Total, g.MaxSelf, len(g.Levels), strings.Join(g.Names, " "))
	tree := stacktraces(`{service_name="svc-a"}`, start, end)
	tree.Format = querierv1.ProfileFormat_PROFILE_FORMAT_TREE
	fmt.Println("tree", len(must(client.SelectMergeStacktraces(ctx, connect.NewRequest(tree))).Msg.Tree))
	profile := must(client.SelectMergeProfile(ctx, connect.NewRequest(&querierv1.SelectMergeProfileRequest{
		ProfileTypeID: cpu, LabelSelector: "{}", Start: start, End: end})))
	fmt.Println("profile", total(profile.Msg), profile.Msg.StringTable[profile.Msg.SampleType[0].Type])
	diff := must(client.Diff(ctx, connect.NewRequest(&querierv1.DiffRequest{
		Left: stacktraces(`{service_name="svc-a"}`, start, end), Right: stacktraces(`{service_name="svc-b"}`, start, end)})))
	fmt.Println("diff", diff.Msg.Flamegraph.LeftTicks, diff.Msg.Flamegraph.RightTicks)
	below := stacktraces(`{service_name="svc-a"}`, start, end)
	below.StackTraceSelector = &typesv1.StackTraceSelector{CallSite: []*typesv1.Location{{Name: "main"}, {Name: "run"}}}
	part := must(client.Diff(ctx, connect.NewRequest(&querierv1.DiffRequest{
		Left: below, Right: stacktraces(`{service_name="svc-a"}`, start, end)})))
	fmt.Println("diff below", part.Msg.Flamegraph.LeftTicks, part.Msg.Flamegraph.RightTicks, strings.Join(part.Msg.Flamegraph.Names, " "))
	heatmap := must(client.SelectHeatmap(ctx, connect.NewRequest(&querierv1.SelectHeatmapRequest{
		ProfileTypeID: cpu, LabelSelector: "{}", Start: start, End: end, Step: 30, GroupBy: []string{"service_name"},
		QueryType: querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_INDIVIDUAL})))
	for _, s := range heatmap.Msg.Series {
		for _, slot := range s.Slots {
			fmt.Println("heat", text(s.Labels), slot.Timestamp-start, slot.YMin[0], slot.YMin[19], slot.Counts)
		}
	}
	spans := must(client.SelectHeatmap(ctx, connect.NewRequest(&querierv1.SelectHeatmapRequest{
		ProfileTypeID: cpu, LabelSelector: "{}", Start: start, End: end, Step: 30,
		QueryType: querierv1.HeatmapQueryType_HEATMAP_QUERY_TYPE_SPAN})))
	fmt.Println("heat of spans", len(spans.Msg.Series))
	ofSpan := stacktraces("{}", start, end)
	ofSpan.SpanSelector = []string{"00000000000000aa"}
	fmt.Println("span", must(client.SelectMergeStacktraces(ctx, connect.NewRequest(ofSpan))).Msg.Flamegraph.Total)
	span := must(client.SelectMergeSpanProfile(ctx, connect.NewRequest(&querierv1.SelectMergeSpanProfileRequest{
		ProfileTypeID: cpu, LabelSelector: "{}", Start: start, End: end})))
	fmt.Println("span", span.Msg.Flamegraph.Total)
	stats := must(client.GetProfileStats(ctx, connect.NewRequest(&typesv1.GetProfileStatsRequest{})))
	fmt.Println("stats", stats.Msg.DataIngested, stats.Msg.OldestProfileTime)
	must(client.AnalyzeQuery(ctx, connect.NewRequest(&querierv1.AnalyzeQueryRequest{Start: start, End: end, Query: cpu + "{}"})))
	_, err := client.SelectMergeStacktraces(ctx, connect.NewRequest(stacktraces("{", start, end)))
	fmt.Println("error", connect.CodeOf(err), err)
}

func stacktraces(selector string, start, end int64) *querierv1.SelectMergeStacktracesRequest {
	return &querierv1.SelectMergeStacktracesRequest{ProfileTypeID: cpu, LabelSelector: selector, Start: start, End: end}
}

func httpClient(protocol string) connect.HTTPClient {
	if protocol != "grpc" {
		return http.DefaultClient
	}
	return &http.Client{Transport: &http2.Transport{AllowHTTP: true,
		DialTLSContext: func(ctx context.Context, network, addr string, _ *tls.Config) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, network, addr)
		}}}
}

func options(protocol string) []connect.ClientOption {
	switch protocol {
	case "json":
		return []connect.ClientOption{connect.WithProtoJSON(), connect.WithSendGzip()}
	case "grpc":
		return []connect.ClientOption{connect.WithGRPC()}
	}
	return nil
}

func text(labels []*typesv1.LabelPair) string {
	parts := []string{}
	for _, l := range labels {
		parts = append(parts, l.Name+"="+l.Value)
	}
	sort.Strings(parts)
	return strings.Join(parts, ",")
}

func total(p *googlev1.Profile) int64 {
	sum := int64(0)
	for _, s := range p.Sample {
		sum += s.Value[0]
	}
	return sum
}
