//go:build cgo && !libllama

package kerneltest

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// Blocks are the same to the last bit: of numbers of any size, of numbers that lie between two
// steps, of the largest one twice with different signs, and of zeros.
func TestQuantized_asGGMLs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]func(i int) float32{
		"random":    func(int) float32 { return float32(r.NormFloat64()) },
		"large":     func(int) float32 { return float32(1e30 * r.NormFloat64()) },
		"small":     func(int) float32 { return float32(1e-30 * r.NormFloat64()) },
		"halves":    func(int) float32 { return float32(r.IntN(509)-254) / 2 },
		"one":       func(i int) float32 { return float32(i % 256 / 255) },
		"zeros":     func(int) float32 { return 0 },
		"none":      func(int) float32 { return float32(math.NaN()) },
		"a few":     func(i int) float32 { return []float32{float32(math.NaN()), 1, -3}[i%3] },
		"opposites": func(i int) float32 { return []float32{1, -2, 0.5, 2}[(i+i/256)%4] },
	}
	for name, number := range kinds {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				row := make([]float32, 4*256)
				for i := range row {
					row[i] = number(i)
				}
				if ours, ggmls := Quantized(row); !bytes.Equal(ours, ggmls) {
					t.Fatalf("of %v\ncomes %v\n want %v", row, ours, ggmls)
				}
			}
		})
	}
}
