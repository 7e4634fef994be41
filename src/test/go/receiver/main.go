// Receives what Plumb pushes, by Pyroscope's own generated handlers, and prints a line for each profile:
// its id, its labels, the sum of each sample type as google/pprof reads it, as name=value with tabs between.
//
//	receiver PORT FAILURES   refuses so many requests with 503 before it takes one
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"connectrpc.com/connect"
	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
)

type receiver struct{ failures atomic.Int64 }

func (r *receiver) Push(_ context.Context, req *connect.Request[pushv1.PushRequest]) (*connect.Response[pushv1.PushResponse], error) {
	if r.failures.Add(-1) >= 0 {
		return nil, connect.NewError(connect.CodeUnavailable, errors.New("not now"))
	}
	for _, series := range req.Msg.Series {
		for _, sample := range series.Samples {
			p, err := profile.Parse(bytes.NewReader(sample.RawProfile))
			if err != nil {
				return nil, connect.NewError(connect.CodeInvalidArgument, err)
			}
			if err := p.CheckValid(); err != nil {
				return nil, connect.NewError(connect.CodeInvalidArgument, err)
			}
			out := []string{"id=" + sample.ID, fmt.Sprintf("samples=%d", len(p.Sample)),
				"auth=" + req.Header().Get("Authorization"), "tenant=" + req.Header().Get("X-Scope-OrgID")}
			for _, l := range series.Labels {
				out = append(out, l.Name+"="+l.Value)
			}
			for i, t := range p.SampleType {
				var sum int64
				for _, s := range p.Sample {
					sum += s.Value[i]
				}
				out = append(out, fmt.Sprintf("sum of %s/%s=%d", t.Type, t.Unit, sum))
			}
			fmt.Println(strings.Join(out, "\t"))
		}
	}
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

func main() {
	r := &receiver{}
	failures, _ := strconv.ParseInt(os.Args[2], 10, 64)
	r.failures.Store(failures)
	mux := http.NewServeMux()
	mux.Handle(pushv1connect.NewPusherServiceHandler(r))
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	_ = http.Serve(listener, mux)
}
