//go:build cgo && !libllama

package kerneltest

// #include "kernel_linux.h"
import "C"

import "unsafe"

// Libraries are those whose kernels are compared: ggml is compiled in.
func Libraries() []string { return []string{"compiled in"} }

// Use has all that follows computed by one of them.
func Use(string) {}

// Quantized gives numbers in blocks of Q8_K, as the program computes them and as ggml's reference
// does.
func Quantized(numbers []float32) (ours, ggmls []byte) {
	n, from := C.int64_t(len(numbers)), (*C.float)(&numbers[0])
	ours = make([]byte, C.tn_row_size(C.int(Q8_K), n))
	ggmls = make([]byte, len(ours))
	C.tn_quantize(from, unsafe.Pointer(&ours[0]), n, false)
	C.tn_quantize(from, unsafe.Pointer(&ggmls[0]), n, true)
	return ours, ggmls
}
