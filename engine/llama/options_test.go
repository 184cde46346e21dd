//go:build cgo

package llama

import (
	"context"
	"slices"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

func TestContext_cacheTypesAndFlashAttention(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Shape: tinymodel.Shape{HeadSize: 32}}, ModelOptions{})
	ids := text(t, m, 100)
	want := evaluate(t, newContext(t, m, ContextOptions{Size: 256, Flash: FlashOff}), 0, ids)
	for _, o := range []ContextOptions{
		{Flash: FlashOn}, {Flash: FlashAuto},
		{KeyType: KVQ8_0, ValueType: KVQ8_0}, {KeyType: KVQ8_0, Flash: FlashOff}, {KeyType: KVQ4_0, ValueType: KVQ4_0, Flash: FlashOn},
	} {
		o.Size = 256
		got := evaluate(t, newContext(t, m, o), 0, ids)
		if o.KeyType != KVQ4_0 && best(got) != best(want) {
			t.Errorf("%+v changes the likeliest token", o)
		}
	}
	if _, err := m.NewContext(ContextOptions{Size: 256, ValueType: KVQ8_0, Flash: FlashOff}); err == nil {
		t.Error("a quantized V cache without flash attention was accepted")
	}
	if _, err := m.NewContext(ContextOptions{Size: 256, KeyType: "q2"}); err == nil {
		t.Error("an unknown cache type was accepted")
	}
}

func best(logits []float32) int {
	at := 0
	for i, l := range logits {
		if l > logits[at] {
			at = i
		}
	}
	return at
}

func TestAdapter_changesTheModelByItsScale(t *testing.T) {
	for _, k := range chatKinds {
		path, adapter := tinymodel.File(t, tinymodel.Options{Kind: k}), tinymodel.AdapterFile(t, k)
		logits := func(adapters ...Adapter) []float32 {
			m, err := Load(context.Background(), path, ModelOptions{Adapters: adapters})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			c := newContext(t, m, ContextOptions{Size: 256})
			defer c.Close()
			return evaluate(t, c, 0, text(t, m, 20))
		}
		plain, adapted := logits(), logits(Adapter{Path: adapter})
		if slices.Equal(plain, adapted) {
			t.Errorf("%s: the adapter changes nothing", k)
		}
		if slices.Equal(adapted, logits(Adapter{Path: adapter, Scale: 0.5})) {
			t.Errorf("%s: its scale changes nothing", k)
		}
		if _, err := Load(context.Background(), path, ModelOptions{Adapters: []Adapter{{Path: path}}}); err == nil {
			t.Errorf("%s: a model was taken for an adapter", k)
		}
	}
}

func TestRoPE_overridesTheFile(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	ids := text(t, m, 50)
	plain := evaluate(t, newContext(t, m, ContextOptions{Size: 256}), 0, ids)
	for name, rope := range map[string]RoPE{
		"base": {FrequencyBase: 500000}, "scale": {FrequencyScale: 0.25},
	} {
		if slices.Equal(plain, evaluate(t, newContext(t, m, ContextOptions{Size: 256, RoPE: rope}), 0, ids)) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

func TestEmbedding_pooledAndPerToken(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.Embedding}, ModelOptions{})
	c := newContext(t, m, ContextOptions{Embeddings: true, Sequences: 2})
	b := NewBatch(64, 1)
	defer b.Close()
	for s, text := range []string{"the weather is cold", "the answer is in the second letter"} {
		ids, err := m.Vocab().TokenizeAtOnce(text, TokenizeOptions{AddSpecial: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			put(b, id, i, true, s)
		}
	}
	if err := c.Decode(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	one, two := c.Embedding(0), c.Embedding(1)
	if len(one) != m.Dimension() || len(two) != m.Dimension() || slices.Equal(one, two) {
		t.Errorf("vectors of %d and %d numbers; dimension %d", len(one), len(two), m.Dimension())
	}
	if c.Pooling() != PoolingMean || c.Embedding(2) != nil || c.Logits(0) != nil {
		t.Errorf("pooling %q", c.Pooling())
	}
}
