//go:build !cgo

package main

import (
	"errors"
	"fmt"

	"tenon/grammar/vocab"
	"tenon/models/gguf"
)

// countTokens counts the tokens of texts as the model of a GGUF file cuts them. Without llama.cpp
// it knows byte-level BPE only.
func countTokens(q tokenQuestion) ([]int, error) {
	f, err := gguf.Open(q.Model)
	if err != nil {
		return nil, err
	}
	t, err := vocab.NewBPE(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.Model, err)
	}
	counts := make([]int, len(q.Texts))
	for i, text := range q.Texts {
		counts[i] = len(t.Tokenize([]byte(text)))
	}
	if len(q.Prompts) > 0 {
		return nil, errors.New("prompts are counted with llama.cpp alone")
	}
	return counts, nil
}
