// chains KIND SECONDS: spends its time below main, main.begin, then by KIND
//
//	deep     600 × main.descend
//	many     goroutines that come and go, talk through channels
//	sort     a sort by a closure, called through an interface
//	panic    panics through ten frames and recovers
//	text     maps of strings, formatting, garbage
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

var sink uint64

func forATime(seconds float64, work func()) {
	end := time.Now().Add(time.Duration(seconds * 1e9))
	for time.Now().Before(end) {
		work()
	}
}

//go:noinline
func spin(seconds float64) {
	forATime(seconds, func() {
		for i := uint64(0); i < 100000; i++ {
			sink += i
		}
	})
}

//go:noinline
func descend(depth int, seconds float64) byte {
	var room [64]byte
	room[depth&63] = byte(depth)
	if depth == 1 {
		spin(seconds)
	} else {
		room[0] += descend(depth-1, seconds)
	}
	return room[depth&63]
}

//go:noinline
func worker(in <-chan int, out chan<- int) {
	for n := range in {
		sum := 0
		for i := 0; i < 2000; i++ {
			sum += i ^ n
		}
		out <- sum
	}
}

//go:noinline
func many(seconds float64) {
	forATime(seconds, func() {
		in, out := make(chan int, 8), make(chan int, 8)
		var all sync.WaitGroup
		for i := 0; i < 8; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				worker(in, out)
			}()
		}
		go func() {
			for i := 0; i < 200; i++ {
				in <- i
			}
			close(in)
			all.Wait()
			close(out)
		}()
		for n := range out {
			sink += uint64(n)
		}
	})
}

//go:noinline
func sorted(seconds float64) {
	numbers := make([]int, 5000)
	forATime(seconds, func() {
		for i := range numbers {
			numbers[i] = i * 2654435761 % 10007
		}
		sort.Slice(numbers, func(a, b int) bool { return numbers[a] < numbers[b] })
	})
}

//go:noinline
func fall(depth int) int {
	defer func() { sink++ }()
	if depth == 0 {
		panic("at the bottom")
	}
	return fall(depth-1) + 1
}

func caught() {
	defer func() {
		if recover() != nil {
			sink++
		}
	}()
	fall(10)
}

//go:noinline
func panicAndRecover(seconds float64) {
	forATime(seconds, func() {
		for i := 0; i < 100; i++ {
			caught()
		}
	})
}

//go:noinline
func text(seconds float64) {
	forATime(seconds, func() {
		counts := map[string]int{}
		for i := 0; i < 500; i++ {
			counts[fmt.Sprintf("key %d", i*31%97)]++
		}
		var out strings.Builder
		for key, count := range counts {
			fmt.Fprintf(&out, "%s: %d or %g\n", key, count, float64(count)/3)
		}
		sink += uint64(out.Len())
	})
}

//go:noinline
func begin(kind string, seconds float64) {
	switch kind {
	case "deep":
		descend(600, seconds)
	case "many":
		many(seconds)
	case "sort":
		sorted(seconds)
	case "panic":
		panicAndRecover(seconds)
	case "text":
		text(seconds)
	default:
		os.Exit(2)
	}
	sink++
}

func main() {
	seconds, err := strconv.ParseFloat(os.Args[2], 64)
	if err != nil {
		panic(err)
	}
	begin(os.Args[1], seconds)
	sink++
}
