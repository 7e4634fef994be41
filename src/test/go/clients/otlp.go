package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
)

// Exports, as OpenTelemetry's collector does, one profile: 7 samples of main;work at 20 ms each.
func otlp(address, way string) {
	request := pprofileotlp.NewExportRequestFromProfiles(profiles("otlp-" + way))
	switch way {
	case "grpc":
		connection := must(grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials())))
		client := pprofileotlp.NewGRPCClient(connection)
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		answer := must(client.Export(ctx, request, grpc.UseCompressor(gzip.Name)))
		fmt.Println("rejected", answer.PartialSuccess().RejectedProfiles())
		wrong := profiles("wrong")
		wrong.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0).Samples().At(0).SetStackIndex(99)
		_, err := client.Export(ctx, pprofileotlp.NewExportRequestFromProfiles(wrong))
		fmt.Println("error", err)
	case "http":
		send(address, "application/x-protobuf", must(request.MarshalProto()))
	case "json":
		send(address, "application/json", must(request.MarshalJSON()))
	}
}

func send(address, kind string, body []byte) {
	response := must(http.Post(address+"/v1development/profiles", kind, bytes.NewReader(body)))
	text := must(io.ReadAll(response.Body))
	fmt.Println("status", response.StatusCode, response.Header.Get("Content-Type"), string(text))
}

func profiles(service string) pprofile.Profiles {
	all := pprofile.NewProfiles()
	tables := all.Dictionary()
	for _, text := range []string{"", "samples", "count", "cpu", "nanoseconds", "main", "work", "/app/main.c", "thread.name", "profile.frame.type"} {
		tables.StringTable().Append(text)
	}
	tables.MappingTable().AppendEmpty()
	mapping := tables.MappingTable().AppendEmpty()
	mapping.SetMemoryStart(0x1000)
	mapping.SetMemoryLimit(0x2000)
	mapping.SetFilenameStrindex(7)
	tables.FunctionTable().AppendEmpty()
	tables.FunctionTable().AppendEmpty().SetNameStrindex(5)
	tables.FunctionTable().AppendEmpty().SetNameStrindex(6)
	tables.LocationTable().AppendEmpty()
	for i := int32(1); i <= 2; i++ {
		location := tables.LocationTable().AppendEmpty()
		location.SetMappingIndex(1)
		location.SetAddress(0x1000 + uint64(16*i))
		line := location.Lines().AppendEmpty()
		line.SetFunctionIndex(i)
		line.SetLine(int64(3 * i))
	}
	tables.StackTable().AppendEmpty()
	tables.StackTable().AppendEmpty().LocationIndices().FromRaw([]int32{2, 1})
	tables.LinkTable().AppendEmpty()
	tables.AttributeTable().AppendEmpty()
	thread := tables.AttributeTable().AppendEmpty()
	thread.SetKeyStrindex(8)
	thread.Value().SetStr("worker")
	resource := all.ResourceProfiles().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", service)
	resource.Resource().Attributes().PutStr("host.name", "h9")
	now := time.Now()
	profile := resource.ScopeProfiles().AppendEmpty().Profiles().AppendEmpty()
	profile.SampleType().SetTypeStrindex(1)
	profile.SampleType().SetUnitStrindex(2)
	profile.PeriodType().SetTypeStrindex(3)
	profile.PeriodType().SetUnitStrindex(4)
	profile.SetPeriod(20_000_000)
	profile.SetTime(pcommon.NewTimestampFromTime(now))
	profile.SetDurationNano(1_000_000_000)
	counted := profile.Samples().AppendEmpty()
	counted.SetStackIndex(1)
	counted.Values().FromRaw([]int64{4})
	counted.AttributeIndices().FromRaw([]int32{1})
	timed := profile.Samples().AppendEmpty()
	timed.SetStackIndex(1)
	at := uint64(now.UnixNano())
	timed.TimestampsUnixNano().FromRaw([]uint64{at, at + 1, at + 2})
	return all
}
