// Real clients of Pyroscope and OpenTelemetry, for tests of the server.
//
//	clients query ADDRESS proto|json|grpc START END   every question of the generated client
//	clients push ADDRESS                    a program profiled by pyroscope-go, pushed
//	clients flush ADDRESS                   the same, with Flush before its end
//	clients otlp ADDRESS grpc|http|json     profiles exported by OTLP
//	clients sum FILE…                       what bodies of Push requests hold
//	clients part FILE TYPE NAME OUT         one part of a multipart body
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) < 3 {
		fail(fmt.Errorf("usage: clients query|push|otlp ADDRESS …"))
	}
	switch os.Args[1] {
	case "query":
		query(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	case "push":
		push(os.Args[2])
	case "flush":
		flush(os.Args[2])
	case "otlp":
		otlp(os.Args[2], os.Args[3])
	case "sum":
		sum(os.Args[2:])
	case "part":
		part(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func must[T any](value T, err error) T {
	if err != nil {
		fail(err)
	}
	return value
}
