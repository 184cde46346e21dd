// Package kerneltest has ggml compute single nodes, by tenon's kernels and by ggml's own, for
// tests that compare them. No other package imports it.
package kerneltest
