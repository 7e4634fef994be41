// Sorts, formats, has generic and inlined functions. With addresses on standard input, given
// "frames" as its argument, it prints what Go's runtime knows of each.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
)

type shape interface{ area() float64 }
type square struct{ side float64 }
type circle struct{ radius float64 }

func (s square) area() float64  { return s.side * s.side }
func (c *circle) area() float64 { return 3.14 * c.radius * c.radius }

func pick[T any](values []T, keep func(T) bool) (kept []T) {
	for _, v := range values {
		if keep(v) {
			kept = append(kept, v)
		}
	}
	return
}

func frames() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		address, _ := strconv.ParseUint(in.Text(), 0, 64)
		// It takes return addresses.
		frame, _ := runtime.CallersFrames([]uintptr{uintptr(address) + 1}).Next()
		fmt.Printf("%s %s:%d\n", frame.Function, frame.File, frame.Line)
	}
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "frames" {
		frames()
		return
	}
	var shapes []shape
	for i := 0; i < 20; i++ {
		shapes = append(shapes, square{float64(i)}, &circle{float64(i)})
	}
	sort.Slice(shapes, func(i, j int) bool { return shapes[i].area() > shapes[j].area() })
	large := pick(shapes, func(s shape) bool { return s.area() > 9 })
	words := pick(os.Args, func(s string) bool { return strings.Contains(s, "a") })
	fmt.Println(len(large), strings.ToUpper(strings.Join(words, " ")))
}
