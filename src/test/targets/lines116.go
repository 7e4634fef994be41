// For compilers that know no generics.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

type shape interface{ area() float64 }
type square struct{ side float64 }

func (s square) area() float64 { return s.side * s.side }

func twice(x int) int { return 2 * x }

func main() {
	var shapes []shape
	for i := 0; i < twice(len(os.Args)); i++ {
		shapes = append(shapes, square{float64(i)})
	}
	sort.Slice(shapes, func(i, j int) bool { return shapes[i].area() > shapes[j].area() })
	fmt.Println(len(shapes), strings.ToUpper(strings.Join(os.Args, " ")))
}
