package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type shape interface{ area() float64 }
type sq struct{ s float64 }

func (s sq) area() float64 { return s.s * s.s }

func pick[T any](v []T, f func(T) bool) (o []T) {
	for _, x := range v {
		if f(x) {
			o = append(o, x)
		}
	}
	return
}
func main() {
	var v []shape
	for i := 0; i < 20; i++ {
		v = append(v, sq{float64(i)})
	}
	sort.Slice(v, func(i, j int) bool { return v[i].area() > v[j].area() })
	fmt.Println(len(pick(v, func(s shape) bool { return s.area() > 9 })), strings.ToUpper(strings.Join(os.Args, " ")))
}
