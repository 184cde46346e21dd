//go:build cgo

package native

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/engine/worker"
	"tenon/engine/worker/runner"
)

// loadDraft loads the model that drafts for another one.
func loadDraft(ctx context.Context, of *llama.Model, o worker.Options) (*backend, error) {
	o.GPULayers = min(o.GPULayers, 0) // a number of layers means the other model's
	m, err := llama.Load(ctx, o.Draft, modelOptions(worker.Options{LoadMode: o.LoadMode, Roomy: o.Roomy, GPULayers: o.GPULayers}, nil))
	if err != nil {
		return nil, fmt.Errorf("the draft model of %s: %w", o.Model, err)
	}
	b := &backend{model: m, options: o}
	if why := unfit(of, m); why != "" {
		err = fmt.Errorf("%s cannot draft for %s: %s", o.Draft, o.Model, why)
	}
	if err == nil {
		c := contextOptions(m, worker.Options{Threads: o.Threads, UBatchSize: o.UBatchSize})
		c.Sequences = cmp.Or(o.Slots, engine.DefaultSlots) + 1
		c.Size = (c.Sequences - 1) * min(runner.DraftRoom, m.TrainedContext())
		c.Flash = flash(ctx, m, o, c)
		b.context, err = m.NewContext(c)
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	b.batch = llama.NewBatch(b.context.BatchSize(), 1)
	return b, nil
}

// unfit is why a model cannot draft for another one, "" if it can.
func unfit(of, m *llama.Model) string {
	a, b := of.Vocab(), m.Vocab()
	switch {
	case m.Recurrent() || m.Bidirectional():
		return "it keeps a state that cannot be cut, or embeds"
	case a.Size() != b.Size():
		return fmt.Sprintf("its vocabulary has %d tokens, not %d", b.Size(), a.Size())
	case !slices.Equal(a.Ends(), b.Ends()):
		return fmt.Sprintf("its tokens %v end an answer, not %v", b.Ends(), a.Ends())
	}
	for id := range int32(a.Size()) {
		if x, y := a.Piece(id), b.Piece(id); !bytes.Equal(x, y) {
			return fmt.Sprintf("its token %d is %q, not %q", id, y, x)
		}
	}
	return ""
}
