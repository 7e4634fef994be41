package main

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/google/pprof/profile"
	"github.com/grafana/pyroscope-go"
)

// Profiles this program for a while; prints what was sent: type, unit and sum of each column.
func push(address string) {
	counting := &counter{sums: map[string]int64{}}
	profiler := must(pyroscope.Start(pyroscope.Config{
		ApplicationName: "go-client",
		ServerAddress:   address,
		Tags:            map[string]string{"region": "eu"},
		UploadRate:      2 * time.Second,
		HTTPClient:      counting,
		ProfileTypes: []pyroscope.ProfileType{
			pyroscope.ProfileCPU, pyroscope.ProfileAllocObjects, pyroscope.ProfileAllocSpace,
			pyroscope.ProfileInuseObjects, pyroscope.ProfileInuseSpace, pyroscope.ProfileGoroutines,
		},
	}))
	stop := time.Now().Add(3 * time.Second)
	kept := [][]byte{}
	for time.Now().Before(stop) {
		kept = append(kept, spin())
	}
	fail2(profiler.Stop())
	for key, sum := range counting.sums {
		fmt.Println("sent", key, sum, len(kept) > 0)
	}
	fmt.Println("requests", counting.requests, "refused", counting.refused, "slowest-ms", counting.slowest.Milliseconds())
}

// Flushes long before the interval of uploads is over: all that is sent, Flush sends.
func flush(address string) {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	counting := &counter{sums: map[string]int64{}}
	profiler := must(pyroscope.Start(pyroscope.Config{
		ApplicationName: "go-flush",
		ServerAddress:   address,
		UploadRate:      10 * time.Second,
		HTTPClient:      counting,
		ProfileTypes: []pyroscope.ProfileType{
			// Without it, Flush of version 1.4.3 never returns.
			pyroscope.ProfileCPU,
			pyroscope.ProfileInuseObjects, pyroscope.ProfileInuseSpace, pyroscope.ProfileGoroutines,
			pyroscope.ProfileMutexCount, pyroscope.ProfileMutexDuration,
			pyroscope.ProfileBlockCount, pyroscope.ProfileBlockDuration,
		},
	}))
	for i := 0; i < 2; i++ {
		contend()
		profiler.Flush(true)
	}
	for key, sum := range counting.sums {
		fmt.Println("sent", key, sum)
	}
	fmt.Println("requests", counting.requests, "refused", counting.refused)
}

// Lets goroutines wait for each other.
func contend() {
	var lock sync.Mutex
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			lock.Lock()
			time.Sleep(20 * time.Millisecond)
			lock.Unlock()
		}()
	}
	all.Wait()
}

func fail2(err error) {
	if err != nil {
		fail(err)
	}
}

//go:noinline
func spin() []byte {
	sum := 0
	for i := 0; i < 10_000_000; i++ {
		sum += i ^ sum
	}
	return make([]byte, 64*1024+sum&1)
}

type counter struct {
	lock     sync.Mutex
	sums     map[string]int64
	requests int
	refused  int
	slowest  time.Duration
}

// Do sends a request and notes what it held.
func (c *counter) Do(request *http.Request) (*http.Response, error) {
	body := must(io.ReadAll(request.Body))
	request.Body = io.NopCloser(bytes.NewReader(body))
	started := time.Now()
	response, err := http.DefaultClient.Do(request)
	c.lock.Lock()
	defer c.lock.Unlock()
	c.slowest = max(c.slowest, time.Since(started))
	c.requests++
	if err != nil {
		c.refused++
		return response, err
	}
	if response.StatusCode != 200 {
		c.refused++
		text, _ := io.ReadAll(response.Body)
		fmt.Println("refusal", response.StatusCode, string(text), request.URL.RawQuery)
		response.Body = io.NopCloser(bytes.NewReader(text))
		return response, nil
	}
	_, params, _ := mime.ParseMediaType(request.Header.Get("Content-Type"))
	reader := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for part, err := reader.NextPart(); err == nil; part, err = reader.NextPart() {
		if strings.HasPrefix(part.FormName(), "profile") {
			add(must(profile.Parse(part)), c.sums)
		}
	}
	return response, err
}
