//go:build cgo

package main

import (
	"context"
	"fmt"

	"tenon/engine/llama"
	"tenon/engine/worker/native"
)

// countTokens counts the tokens of texts as the model of a GGUF file cuts them.
func countTokens(q tokenQuestion) ([]int, error) {
	m, err := llama.Load(context.Background(), q.Model, llama.ModelOptions{VocabOnly: true})
	if err != nil {
		return nil, err
	}
	defer m.Close()
	counts := make([]int, len(q.Texts))
	for i, text := range q.Texts {
		ids, err := m.Vocab().Tokenize(context.Background(), text)
		if err != nil {
			return nil, fmt.Errorf("tokenize: %w", err)
		}
		counts[i] = len(ids)
	}
	for _, p := range q.Prompts {
		n, err := native.CountPrompt(context.Background(), m, q.Template, p)
		if err != nil {
			return nil, err
		}
		counts = append(counts, n)
	}
	return counts, nil
}
