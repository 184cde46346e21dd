//go:build cgo

package kerneltest

// #cgo CXXFLAGS: -std=gnu++17
// #include <stdlib.h>
// #include <string.h>
// #include "kernel_linux.h"
import "C"

import (
	"unsafe"

	_ "tenon/engine/llama" // puts its kernels into the place of ggml's
)

// Type is one of ggml's types of numbers.
type Type int

// Some of ggml's types.
const (
	F32  Type = 0
	F16  Type = 1
	Q5_0 Type = 6
	Q8_0 Type = 8
	Q4_K Type = 12
	Q6_K Type = 14
	Q8_K Type = 15
	BF16 Type = 30
)

// Tensor is a tensor of ggml's, whose rows may lie anywhere. What is between them is no number.
type Tensor struct {
	Type    Type
	Size    [4]int // numbers of a row, rows, matrices, stacks
	Strides [4]int // bytes from one to the next; 0: as they lie without gaps
	data    unsafe.Pointer
}

// New gives a tensor the numbers that at says, and memory, which [Tensor.Free] frees.
func (t Tensor) New(at func(i0, i1, i2, i3 int) float32) Tensor {
	row := int(C.tn_row_size(C.int(t.Type), C.int64_t(t.Size[0])))
	usual := [4]int{int(C.tn_row_size(C.int(t.Type), 1)), row, row * t.Size[1], row * t.Size[1] * t.Size[2]}
	if t.Type == Q8_0 {
		usual[0] = int(C.tn_row_size(C.int(t.Type), 32))
	}
	length := row
	for i := range usual {
		if t.Strides[i] == 0 {
			t.Strides[i] = usual[i]
		}
		if i > 0 {
			length += (t.Size[i] - 1) * t.Strides[i]
		}
	}
	t.data = C.malloc(C.size_t(length))
	C.memset(t.data, 0xff, C.size_t(length))
	numbers := make([]float32, t.Size[0])
	for i3 := range t.Size[3] {
		for i2 := range t.Size[2] {
			for i1 := range t.Size[1] {
				for i0 := range numbers {
					numbers[i0] = at(i0, i1, i2, i3)
				}
				to := unsafe.Add(t.data, i1*t.Strides[1]+i2*t.Strides[2]+i3*t.Strides[3])
				C.tn_write_row(C.int(t.Type), (*C.float)(&numbers[0]), to, C.int64_t(len(numbers)))
			}
		}
	}
	return t
}

// Free frees the tensor's memory.
func (t Tensor) Free() { C.free(t.data) }

// at is a number of a tensor of F32.
func (t Tensor) at(i0, i1, i2 int) float32 {
	return *(*float32)(unsafe.Add(t.data, i0*4+i1*t.Strides[1]+i2*t.Strides[2]))
}

func (t Tensor) numbers() int { return t.Size[0] * t.Size[1] * t.Size[2] * t.Size[3] }

func (t Tensor) c() (out C.tn_tensor) {
	out._type, out.data = C.int(t.Type), t.data
	for i := range t.Size {
		out.ne[i], out.nb[i] = C.int64_t(t.Size[i]), C.size_t(t.Strides[i])
	}
	return out
}

// Norm is a node of ggml's graph: rows divided by their root mean square; with Weights, two nodes.
type Norm struct {
	Rows, Weights Tensor // Weights may be missing
	Epsilon       float32
	Threads       int // 0: one
}

// Compute gives the rows.
func (n Norm) Compute() []float32 {
	out := make([]float32, n.Rows.numbers())
	x, weights := n.Rows.c(), n.Weights.c()
	C.tn_normalize(&x, &weights, C.float(n.Epsilon), C.int(max(n.Threads, 1)), (*C.float)(&out[0]))
	return out
}

// Gate is a node of ggml's graph: GELU(X)·By. Without By, the second half of X's rows stands for
// it; if Swapped, the first.
type Gate struct {
	X, By   Tensor
	Swapped bool
	Threads int // 0: one
}

// Compute gives the rows.
func (g Gate) Compute() []float32 {
	n := g.X.numbers()
	if g.By.data == nil {
		n /= 2
	}
	out := make([]float32, n)
	x, by := g.X.c(), g.By.c()
	C.tn_gate(&x, &by, C.bool(g.Swapped), C.int(max(g.Threads, 1)), (*C.float)(&out[0]))
	return out
}

// Attention is a node of ggml's graph: softmax(Q·K·Scale + Mask)·V.
type Attention struct {
	Q, K, V, Mask, Sinks Tensor // without a Mask all is seen; Sinks may be missing
	Scale, Bias, Softcap float32
	Threads              int // that ours is divided among; 0: one
}

// Compute gives [batch][token][head][value], by ggml's own pass or as the program computes it.
func (a Attention) Compute(ggmls bool) []float32 {
	out := make([]float32, a.V.Size[0]*a.Q.Size[1]*a.Q.Size[2]*a.Q.Size[3])
	p := C.tn_attention{
		q: a.Q.c(), k: a.K.c(), v: a.V.c(), mask: a.Mask.c(), sinks: a.Sinks.c(),
		scale: C.float(a.Scale), bias: C.float(a.Bias), softcap: C.float(a.Softcap),
	}
	C.tn_attend(&p, C.bool(ggmls), C.int(max(a.Threads, 1)), (*C.float)(&out[0]))
	return out
}
