package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"os"

	"github.com/google/pprof/profile"
	pushv1 "github.com/grafana/pyroscope/api/gen/proto/go/push/v1"
	"google.golang.org/protobuf/proto"
)

// Prints the sums of the profiles in bodies of Push requests.
func sum(files []string) {
	sums := map[string]int64{}
	for _, file := range files {
		body := must(os.ReadFile(file))
		if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
			body = must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(body)))))
		}
		request := &pushv1.PushRequest{}
		fail2(proto.Unmarshal(body, request))
		for _, series := range request.Series {
			for _, sample := range series.Samples {
				add(must(profile.ParseData(sample.RawProfile)), sums)
			}
		}
	}
	for key, value := range sums {
		fmt.Println("sent", key, value)
	}
}

func add(p *profile.Profile, sums map[string]int64) {
	for i, t := range p.SampleType {
		for _, s := range p.Sample {
			sums[t.Type+" "+t.Unit] += s.Value[i]
		}
	}
}

// Writes one part of a multipart body to a file, unzipped.
func part(file, contentType, name, out string) {
	_, params, err := mime.ParseMediaType(contentType)
	fail2(err)
	reader := multipart.NewReader(must(os.Open(file)), params["boundary"])
	for p, err := reader.NextPart(); err == nil; p, err = reader.NextPart() {
		if p.FormName() == name {
			content := must(io.ReadAll(p))
			if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
				content = must(io.ReadAll(must(gzip.NewReader(bytes.NewReader(content)))))
			}
			fail2(os.WriteFile(out, content, 0o644))
			return
		}
	}
	fail(fmt.Errorf("no part %s", name))
}
