//go:build cgo && libllama

package kerneltest

// #include "kernel_linux.h"
import "C"

// Product is a node of ggml's graph: Rows, each multiplied with each of Weights.
type Product struct {
	Weights, Rows Tensor
	Threads       int // 0: one
}

// Compute gives [row][weight], by ggml's reference or as the library computes it.
func (p Product) Compute(ggmls bool) []float32 {
	out := make([]float32, p.Weights.Size[1]*p.Rows.Size[1])
	weights, rows := p.Weights.c(), p.Rows.c()
	C.tn_multiply(&weights, &rows, C.bool(ggmls), C.int(max(p.Threads, 1)), (*C.float)(&out[0]))
	return out
}
