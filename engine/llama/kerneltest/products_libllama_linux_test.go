//go:build cgo && libllama

package kerneltest

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

// Products of one row, of a few and of many are what ggml's own are, in each of its libraries:
// sums of whole numbers, whose scales are added up in another order.
func TestProducts_asGGMLs(t *testing.T) {
	for name, weights := range map[string]Type{"Q8_0": Q8_0, "Q5_0": Q5_0, "Q4_K": Q4_K, "Q6_K": Q6_K} {
		t.Run(name, func(t *testing.T) {
			inEachLibrary(t, func(t *testing.T) {
				for i, rows := range []int{1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 40, 64, 67} {
					// one block and two; the last panel is full, or not
					product := randomProduct(weights, 256+i%2*256, []int{40, 41, 47}[i%3], rows)
					product.Threads = 1 + i/2%3
					got, want := product.Compute(false), product.Compute(true)
					for i := range want {
						// numbers of some 22
						if d := math.Abs(float64(got[i] - want[i])); !(d < 1e-3) {
							t.Fatalf("%d rows: number %d is %g, ggml's is %g", rows, i, got[i], want[i])
						}
					}
					product.Weights.Free()
					product.Rows.Free()
				}
			})
		})
	}
}

func randomProduct(weights Type, length, n, rows int) Product {
	r := rand.New(rand.NewPCG(1, 2))
	number := func(int, int, int, int) float32 { return float32(r.NormFloat64()) }
	return Product{
		Weights: Tensor{Type: weights, Size: [4]int{length, n, 1, 1}}.New(number),
		Rows:    Tensor{Type: F32, Size: [4]int{length, rows, 1, 1}}.New(number),
	}
}

// BenchmarkProducts compares the time of products with ggml's: "ratio" is ggml's least time by
// ours. That of Q4_K includes the time to interleave the weights, which a model's loading takes
// else.
func BenchmarkProducts(b *testing.B) {
	libraries := Libraries()
	for name, weights := range map[string]Type{"Q8_0": Q8_0, "Q5_0": Q5_0, "Q4_K": Q4_K, "Q6_K": Q6_K} {
		for _, rows := range []int{1, 2, 3, 4, 6, 8, 16, 64, 256} {
			b.Run(name+"/"+strconv.Itoa(rows), func(b *testing.B) {
				if len(libraries) == 0 {
					b.Skip("the linked ggml has no kernels of tenon's")
				}
				Use(libraries[len(libraries)-1])
				product := randomProduct(weights, 2048, 1024, rows)
				var least [2]time.Duration
				for b.Loop() {
					for i, ggmls := range []bool{true, false} {
						if took := product.timed(ggmls); least[i] == 0 || took < least[i] {
							least[i] = took
						}
					}
				}
				b.ReportMetric(float64(least[0])/float64(least[1]), "ratio")
				b.ReportMetric(float64(least[1].Microseconds()), "µs")
			})
		}
	}
}

func (p Product) timed(ggmls bool) time.Duration {
	begin := time.Now()
	p.Compute(ggmls)
	return time.Since(begin)
}
