//go:build cgo

package kerneltest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// lengths of rows: none, one and several vectors of each CPU, with and without a rest.
var lengths = []int{1, 3, 8, 15, 16, 17, 64, 100, 256, 640}

// numbers makes rows with a gap behind each, so that they begin anywhere.
func numbers(r *rand.Rand, length, rows int) Tensor {
	size := [4]int{length, rows, 2, 1}
	return Tensor{Type: F32, Size: size, Strides: [4]int{0, 4*length + 4, (4*length + 4) * rows}}.New(
		func(int, int, int, int) float32 { return float32(4 * r.NormFloat64()) })
}

// row copies a row's numbers as they are.
func (t Tensor) row(i1, i2 int) []float32 {
	out := make([]float32, t.Size[0])
	for i := range out {
		out[i] = t.at(i, i1, i2)
	}
	return out
}

func TestNorm_isTheRootMeanSquare(t *testing.T) {
	inEachLibrary(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, length := range lengths {
			for _, threads := range []int{1, 2} {
				n := Norm{Rows: numbers(r, length, 5), Epsilon: 1e-6, Threads: threads}
				plain := n.Compute()
				n.Weights = Tensor{Type: F32, Size: [4]int{length, 1, 1, 1}}.New(func(int, int, int, int) float32 { return float32(r.NormFloat64()) })
				weighed := n.Compute()
				for i := range plain {
					row := n.Rows.row(i/length%5, i/length/5)
					sum := 0.0
					for _, x := range row {
						sum += float64(x) * float64(x)
					}
					want := float64(row[i%length]) / math.Sqrt(sum/float64(length)+1e-6)
					if !near(plain[i], want, 1e-6) || !near(weighed[i], want*float64(n.Weights.at(i%length, 0, 0)), 1e-6) {
						t.Fatalf("rows of %d: number %d is %g, with weights %g; want %g", length, i, plain[i], weighed[i], want)
					}
				}
				n.Rows.Free()
				n.Weights.Free()
			}
		}
	})
}

func TestGate_isGELU(t *testing.T) {
	inEachLibrary(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, length := range lengths {
			for _, threads := range []int{1, 2} {
				whole, beside := numbers(r, 2*length, 5), numbers(r, length, 5)
				for _, g := range []Gate{{X: whole}, {X: whole, Swapped: true}, {X: beside, By: beside}} {
					g.Threads = threads
					for i, got := range g.Compute() {
						row := g.X.row(i/length%5, i/length/5)
						x, by := row[:length], row[len(row)-length:]
						if g.Swapped {
							x, by = by, x
						}
						want := gelu(float64(x[i%length])) * float64(by[i%length])
						if !near(got, want, 2e-6*max(1, math.Abs(float64(by[i%length])))) {
							t.Fatalf("rows of %d: number %d is %g, want %g", length, i, got, want)
						}
					}
				}
				whole.Free()
				beside.Free()
			}
		}
	})
}

// What is no number stays none, and what is far from zero is either nothing or itself.
func TestGate_ofOddNumbers(t *testing.T) {
	inEachLibrary(t, func(t *testing.T) {
		inf := float32(math.Inf(1))
		odd := []float32{inf, -inf, float32(math.NaN()), 1e30, -1e30, 0, -10, 10, 88, -88, 1e-30}
		row := func(numbers []float32) Tensor {
			return Tensor{Type: F32, Size: [4]int{len(odd), 1, 1, 1}}.New(func(i, _, _, _ int) float32 { return numbers[i] })
		}
		g := Gate{X: row(odd), By: row(slices.Repeat([]float32{1}, len(odd)))}
		defer g.X.Free()
		defer g.By.Free()
		for i, got := range g.Compute() {
			want := gelu(float64(odd[i]))
			if odd[i] <= -10 {
				want = 0
			} else if odd[i] >= 10 {
				want = float64(odd[i])
			}
			if math.IsNaN(want) != math.IsNaN(float64(got)) || !math.IsNaN(want) && !near(got, want, 1e-6) {
				t.Errorf("of %g comes %g, want %g", odd[i], got, want)
			}
		}
	})
}

// near allows an error, of a number above 1 in parts of it.
func near(got float32, want, most float64) bool {
	return float64(got) == want || math.Abs(float64(got)-want) <= most*max(1, math.Abs(want))
}

func gelu(x float64) float64 {
	return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}
