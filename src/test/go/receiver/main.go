// Receives what Plumb pushes, by Pyroscope's own generated handlers, and prints a line for each profile:
// its id, its labels, the sum of each sample type as google/pprof reads it, as name=value with tabs between.
//
//	receiver PORT FAILURES [RATE BURST]   refuses so many requests with 503 before it takes one; takes so
//	                                      many unpacked bytes a second, and at once, as Pyroscope counts them
//	                                      (the rest of a request's profiles are taken all the same);
//	                                      answers 413 to a body of more than a fifth of the burst
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"github.com/grafana/pyroscope/api/gen/proto/go/push/v1/pushv1connect"
)

type receiver struct {
	failures atomic.Int64
	lock     sync.Mutex
	rate     float64
	burst    float64
	tokens   float64
	last     time.Time
}

// A profile that is larger than the burst is never taken.
func (r *receiver) allow(bytes int) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.rate == 0 {
		return true
	}
	now := time.Now()
	r.tokens = min(r.burst, r.tokens+r.rate*now.Sub(r.last).Seconds())
	r.last = now
	if float64(bytes) > r.tokens {
		return false
	}
	r.tokens -= float64(bytes)
	return true
}

func unpacked(raw []byte) int {
	return int(binary.LittleEndian.Uint32(raw[len(raw)-4:]))
}

func (r *receiver) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if r.rate > 0 && float64(request.ContentLength) > r.burst/5 {
			http.Error(w, "request body too large", http.StatusRequestEntityTooLarge)
			return
		}
		next.ServeHTTP(w, request)
	})
}

func (r *receiver) Push(_ context.Context, req *connect.Request[pushv1.PushRequest]) (*connect.Response[pushv1.PushResponse], error) {
	if r.failures.Add(-1) >= 0 {
		return nil, connect.NewError(connect.CodeUnavailable, errors.New("not now"))
	}
	refused := false
	for _, series := range req.Msg.Series {
		for _, sample := range series.Samples {
			if !r.allow(unpacked(sample.RawProfile)) {
				refused = true
				continue
			}
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
	if refused {
		return nil, connect.NewError(connect.CodeResourceExhausted, errors.New("push rate limit exceeded"))
	}
	return connect.NewResponse(&pushv1.PushResponse{}), nil
}

func main() {
	r := &receiver{}
	failures, _ := strconv.ParseInt(os.Args[2], 10, 64)
	r.failures.Store(failures)
	if len(os.Args) > 4 {
		r.rate, _ = strconv.ParseFloat(os.Args[3], 64)
		r.burst, _ = strconv.ParseFloat(os.Args[4], 64)
		r.last = time.Now()
		r.tokens = r.burst
	}
	mux := http.NewServeMux()
	mux.Handle(pushv1connect.NewPusherServiceHandler(r))
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	_ = http.Serve(listener, r.limited(mux))
}
