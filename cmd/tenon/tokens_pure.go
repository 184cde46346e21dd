//go:build !cgo

package main

import (
	"context"
	"fmt"

	"tenon/grammar/vocab"
	"tenon/models/gguf"
)

// tokenCounter counts the tokens of a text as the model of a GGUF file cuts it.
// Without llama.cpp it knows byte-level BPE only. The caller calls done.
func tokenCounter(_ context.Context, path string) (count func([]byte) int, done func(), err error) {
	f, err := gguf.Open(path)
	if err != nil {
		return nil, nil, err
	}
	t, err := vocab.NewBPE(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return func(text []byte) int { return len(t.Tokenize(text)) }, func() {}, nil
}
