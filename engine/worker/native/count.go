//go:build cgo

package native

import (
	"context"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/engine/worker"
	"tenon/engine/worker/runner"
)

// CountPrompt is how many tokens a prompt has that a template writes, as a turn of the model would
// count them. The vocabulary of the model is enough.
func CountPrompt(ctx context.Context, m *llama.Model, template string, p engine.Prompt) (int, error) {
	v, err := newVocab(m.Vocab())
	if err != nil {
		return 0, err
	}
	b := &backend{model: m, options: worker.Options{Template: template}, vocab: v}
	b.info.Vocab = describeVocab(m.Vocab(), v, template, nil)
	return runner.Count(ctx, b, p)
}
