//go:build !darwin

package llama

func performanceCores() int { return 0 }
