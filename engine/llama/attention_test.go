//go:build cgo

package llama

import (
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// Prompts and tokens go through different kinds of attention: what one wrote into the memory, the other reads.
func TestFlash_sameAsProductsOfMatrices(t *testing.T) {
	shared := tinymodel.Shape{Heads: 9, KVHeads: 1, HeadSize: 80}
	tests := []struct {
		name  string
		model tinymodel.Options
		keys  KVType
	}{
		{"full", tinymodel.Options{Kind: tinymodel.FullAttention}, KVF16},
		{"all heads share keys", tinymodel.Options{Kind: tinymodel.FullAttention, Shape: shared}, KVF16},
		{"quantized keys", tinymodel.Options{Kind: tinymodel.FullAttention, Shape: tinymodel.Shape{Heads: 6, KVHeads: 2, HeadSize: 64}}, KVQ8_0},
		{"sliding", tinymodel.Options{Kind: tinymodel.SlidingWindow}, KVF16},
		{"capped", tinymodel.Options{Kind: tinymodel.SoftCapped}, KVF16},
		{"hybrid", tinymodel.Options{Kind: tinymodel.Hybrid}, KVF16},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.model.Seed = 1
			m := load(t, test.model, ModelOptions{})
			ids := text(t, m, 300)
			var got [2][]float32
			for i, flash := range []FlashAttention{FlashOff, FlashOn} {
				c := newContext(t, m, ContextOptions{Size: 1024, Sequences: 2, MicroBatch: 64, Flash: flash, KeyType: test.keys})
				evaluate(t, c, 1, ids[100:200]) // cells that the other sequence does not see
				evaluate(t, c, 0, ids[:200])
				for _, id := range ids[200:210] {
					evaluate(t, c, 0, []int32{id})
				}
				got[i] = evaluate(t, c, 0, ids[210:])
			}
			sameLogits(t, "prompt, tokens, prompt", got[1], got[0])
		})
	}
}
