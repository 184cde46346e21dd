//go:build cgo

package main

import (
	"context"

	"tenon/engine/llama"
)

// tokenCounter counts the tokens of a text as the model of a GGUF file cuts it.
// The caller calls done.
func tokenCounter(ctx context.Context, path string) (count func([]byte) int, done func(), err error) {
	m, err := llama.Load(ctx, path, llama.ModelOptions{VocabOnly: true})
	if err != nil {
		return nil, nil, err
	}
	count = func(text []byte) int {
		ids, err := m.Vocab().Tokenize(string(text), llama.TokenizeOptions{})
		if err != nil {
			return 0 // the file has a vocabulary: only texts of gigabytes fail
		}
		return len(ids)
	}
	return count, m.Close, nil
}
