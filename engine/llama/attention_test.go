//go:build cgo

package llama

import (
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// Prompts and tokens go through different kinds of attention: what one wrote into the memory, the
// other reads.
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
				// cells that the other sequence does not see
				evaluate(t, c, 1, ids[100:200])
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

// What another sequence's cells hold is nobody else's: not even where it is no number, as a
// damaged model leaves it. A hidden cell's weight is 0, and 0 times infinity is no number.
func TestFlash_othersCellsMayHoldNoNumbers(t *testing.T) {
	// bytes of a cell's keys, and of its values: two heads of 64 halves
	const cells, row = 100, 2 * 64 * 2
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1, Shape: tinymodel.Shape{Heads: 6, KVHeads: 2, HeadSize: 64}}, onCPU())
	ids := text(t, m, 200)
	speak := func(odd []byte) []float32 {
		c := newContext(t, m, ContextOptions{Size: 1024, Sequences: 2, MicroBatch: 64, Flash: FlashOn})
		evaluate(t, c, 1, ids[:cells])
		if odd != nil {
			saved, err := c.Save(1)
			if err != nil {
				t.Fatal(err)
			}
			values := saved[len(saved)-cells*row:]
			// behind each layer's type and size of rows
			keys := saved[:len(saved)-layers(m)*(12+cells*row)]
			spoil(values, odd)
			spoil(keys[len(keys)-cells*row:], odd)
			c.Cut(1, 0)
			if err := c.Restore(1, saved, cells); err != nil {
				t.Fatal(err)
			}
		}
		evaluate(t, c, 0, ids[:50])
		for _, id := range ids[50:60] {
			evaluate(t, c, 0, []int32{id})
		}
		return evaluate(t, c, 0, ids[60:])
	}
	want := speak(nil)
	for name, odd := range map[string][]byte{"no number": {0, 0x7e}, "infinity": {0, 0x7c}} {
		t.Run(name, func(t *testing.T) { sameLogits(t, "beside odd cells", speak(odd), want) })
	}
}

func spoil(b, with []byte) {
	for i := range b {
		b[i] = with[i%len(with)]
	}
}
