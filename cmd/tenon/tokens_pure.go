//go:build !cgo

package main

import "context"

// tokenCounter counts the tokens of a text as the model of a GGUF file cuts it.
// Without llama.cpp it knows byte-level BPE only. The caller calls done.
func tokenCounter(_ context.Context, path string) (count func([]byte) int, done func(), err error) {
	_, t, err := openVocab(path)
	if err != nil {
		return nil, nil, err
	}
	return func(text []byte) int { return len(t.Tokenize(text)) }, func() {}, nil
}
