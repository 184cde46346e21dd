//go:build cgo && !libllama

package kerneltest

// Libraries are those whose kernels are compared: ggml is compiled in.
func Libraries() []string { return []string{"compiled in"} }

// Use has all that follows computed by one of them.
func Use(string) {}
