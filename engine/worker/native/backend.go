//go:build cgo

package native

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"tenon/engine"
	"tenon/engine/llama"
	"tenon/engine/worker"
	"tenon/engine/worker/runner"
	"tenon/grammar"
)

// backend is a llama.cpp model with a context to generate in, or one to embed in, or both.
type backend struct {
	model   *llama.Model
	options worker.Options
	info    engine.Model
	vocab   *grammar.Vocab
	context *llama.Context // nil for a model that only embeds
	batch   *llama.Batch
	vectors *llama.Context // made when the first embedding is asked for
}

func newBackend(ctx context.Context, m *llama.Model, o worker.Options) (*backend, error) {
	b := &backend{model: m, options: o}
	vocab := make(chan error, 1)
	go func() { // as long as the context takes
		var err error
		b.vocab, err = newVocab(m.Vocab())
		vocab <- err
	}()
	var err error
	if !m.Bidirectional() && !o.VocabOnly {
		b.context, err = newContext(ctx, m, o)
	}
	if err = errors.Join(err, <-vocab); err != nil {
		if b.context != nil {
			b.context.Close()
		}
		return nil, err
	}
	if b.context != nil {
		b.batch = llama.NewBatch(b.context.BatchSize(), 1)
	}
	b.info = b.describe()
	return b, nil
}

func (b *backend) describe() engine.Model {
	m := b.model
	info := engine.Model{
		Architecture: m.Architecture(), Description: m.Description(), Parameters: m.Parameters(), Size: m.Size(),
		ContextTrained: m.TrainedContext(), Context: m.TrainedContext(), Template: m.ChatTemplate(""),
		Can: engine.Can{Embeddings: b.embeds()}, Defaults: llama.FileSampling(m.Metadata), Metadata: m.AllMetadata(),
	}
	info.Vocab = describeVocab(m.Vocab(), b.vocab, info.Template+b.options.Template, b.options.Markers)
	if b.context != nil {
		info.Rewind = b.context.Rewind()
		info.Context = b.context.Size()
		if b.options.Context != 0 {
			info.Context = min(info.Context, b.options.Context) // llama.cpp rounds up
		}
	}
	return info
}

func (b *backend) Model() engine.Model   { return b.info }
func (b *backend) Vocab() *grammar.Vocab { return b.vocab }

func (b *backend) BOS() int32 {
	if v := b.model.Vocab(); v.AddBOS() {
		return v.BOS()
	}
	return llama.NoToken
}

func (b *backend) Tokenize(ctx context.Context, text string) ([]int32, error) {
	return b.model.Vocab().Tokenize(ctx, text)
}

func (b *backend) Cells() int {
	if b.context == nil {
		return 0
	}
	return b.context.Size()
}

func (b *backend) Sequences() int {
	if b.context == nil {
		return 1
	}
	return b.scratch()
}

func (b *backend) Decode(ctx context.Context, entries []runner.Entry) error {
	b.batch.Clear()
	for _, e := range entries {
		if _, err := b.batch.Add(e.Token, e.Position, e.Logits, e.Sequence); err != nil {
			return err
		}
	}
	err := b.context.Decode(ctx, b.batch)
	if errors.Is(err, llama.ErrNoMemorySlot) {
		return runner.ErrNoRoom
	}
	return err
}

func (b *backend) WantOnly(lists ...[]int32)   { b.context.WantOnly(lists...) }
func (b *backend) WantAll()                    { b.context.WantAll() }
func (b *backend) Logits(entry int) []float32  { return b.context.Logits(entry) }
func (b *backend) Cut(sequence, n int) bool    { return b.context.Cut(sequence, n) }
func (b *backend) Share(from, to, n int) error { return b.context.Share(from, to, n) }

func (b *backend) Floor(sequence, length int) int {
	switch b.info.Rewind {
	case engine.RewindCheckpoints:
		return length
	case engine.RewindWindow:
		if first := b.context.MinPosition(sequence); first > 0 {
			return first + b.model.SlidingWindow()
		}
	}
	return 0
}

func (b *backend) Logprobs(logits []float32, id int32, n int) (float32, []runner.Logprob) {
	own, top := llama.TopLogprobs(logits, id, n)
	out := make([]runner.Logprob, len(top))
	for i, t := range top {
		out[i] = runner.Logprob{ID: t.ID, Value: t.Logprob}
	}
	return own, out
}

func (b *backend) NewSampler(s engine.Sampling) (runner.Sampler, error) {
	chain, err := b.model.NewSampler(s)
	if err != nil {
		return nil, err
	}
	return sampler{chain}, nil
}

// sampler hands masks to llama.cpp's chain in the form that they have.
type sampler struct {
	*llama.Sampler
}

func (s sampler) Sample(logits []float32, mask *grammar.Mask) (int32, error) {
	var allowed llama.Candidates
	if mask != nil {
		switch mask.Kind() {
		case grammar.Sparse:
			allowed.Only = mask.IDs()
		case grammar.Dense:
			allowed.Bits = mask.Bits()
		case grammar.AllBut:
			allowed.Except = mask.IDs()
		}
	}
	return s.Sampler.Sample(logits, allowed)
}

// embeds tells whether the model was made to give vectors, or was started to.
func (b *backend) embeds() bool {
	pooling, _ := b.model.Metadata(b.model.Architecture() + ".pooling_type")
	return b.model.Bidirectional() || b.options.Pooling != "" || pooling != "" && pooling != "0"
}

func (b *backend) Embed(ctx context.Context, ids []int32) ([]float32, error) {
	if !b.embeds() {
		return nil, fmt.Errorf("%w: it was not made for embeddings", engine.ErrUnsupported)
	}
	if b.vectors == nil {
		var err error
		if b.vectors, err = b.model.NewContext(b.vectorOptions()); err != nil {
			return nil, err
		}
	}
	specials, err := b.model.Vocab().TokenizeAtOnce("", llama.TokenizeOptions{AddSpecial: true})
	if err != nil {
		return nil, err
	}
	return b.embed(ctx, b.closed(ids, specials))
}

// vectorOptions: such a model sees a text as a whole, so that a batch must hold the longest.
func (b *backend) vectorOptions() llama.ContextOptions {
	size := b.options.Context
	if size == 0 {
		size = min(b.model.TrainedContext(), 8192)
	}
	return llama.ContextOptions{
		Size: size, Batch: size, Threads: b.options.Threads, Embeddings: true, Pooling: llama.Pooling(b.options.Pooling),
		// for one text at a time a measurement is not worth it
		Flash: llama.FlashAttention(b.options.FlashAttention),
	}
}

// closed adds what the model was trained to see around a text: [CLS] and [SEP], or BOS and EOS.
func (b *backend) closed(ids, specials []int32) []int32 {
	if len(specials) > 0 && specials[0] == b.model.Vocab().BOS() {
		if len(ids) == 0 || ids[0] != specials[0] {
			ids = append([]int32{specials[0]}, ids...)
		}
		specials = specials[1:]
	}
	return append(ids, specials...)
}

func (b *backend) embed(ctx context.Context, ids []int32) ([]float32, error) {
	if len(ids) > b.vectors.BatchSize() {
		return nil, &engine.ContextError{Prompt: len(ids), Context: b.vectors.BatchSize()}
	}
	if len(ids) == 0 {
		return nil, errors.New("the text is empty")
	}
	batch := llama.NewBatch(len(ids), 1)
	defer batch.Close()
	for pos, id := range ids {
		if _, err := batch.Add(id, pos, true, 0); err != nil {
			return nil, err
		}
	}
	b.vectors.Clear()
	if err := b.vectors.Decode(ctx, batch); err != nil {
		return nil, err
	}
	switch b.vectors.Pooling() {
	case llama.PoolingNone:
		return normalized(b.vectors.TokenEmbedding(len(ids) - 1))
	case llama.PoolingRank: // scores, not a direction
		return slices.Clone(b.vectors.Embedding(0)), nil
	}
	return normalized(b.vectors.Embedding(0))
}

// normalized is a copy of a vector, of length 1.
func normalized(v []float32) ([]float32, error) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil, errors.New("the model gave no vector with a direction: its file may be damaged")
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out, nil
}

func (b *backend) Close() error {
	if b.batch != nil {
		b.batch.Close()
	}
	for _, c := range []*llama.Context{b.context, b.vectors} {
		if c != nil {
			c.Close()
		}
	}
	b.model.Close()
	return nil
}
