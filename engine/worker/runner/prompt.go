package runner

import (
	"context"

	"tenon/engine"
	"tenon/engine/tokens"
)

func newTokenizer(b Backend) *tokens.Tokenizer {
	return tokens.New(b.Vocab(), b.Model().Vocab.Markers, b.BOS(), b.Tokenize)
}

// Count is how many tokens a prompt has, BOS among them.
func Count(ctx context.Context, b Backend, p engine.Prompt) (int, error) {
	ids, err := newTokenizer(b).Prompt(ctx, p)
	return len(ids), err
}
