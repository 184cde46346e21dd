//go:build cgo && linux && amd64

package llama

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"

	"tenon/engine/enginetest/tinymodel"
)

// TestRows_theWantedLogitsAreThoseOfAll: where few logits are wanted they are the same, bit for
// bit, and others are not computed.
func TestRows_theWantedLogitsAreThoseOfAll(t *testing.T) {
	wanted := []int32{3, 64, 65, 200}
	for _, weights := range []tinymodel.Weights{tinymodel.Q8_0, tinymodel.Q5_0, tinymodel.Q4_K, tinymodel.Q6_K} {
		for _, tokens := range []int{1, 2, 4, 8, 20} {
			t.Run(fmt.Sprint(weights, " ", tokens), func(t *testing.T) {
				shape := tinymodel.Shape{Layers: 1, Embedding: 256, FeedForward: 512}
				m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1, Weights: weights, Shape: shape}, onCPU())
				c := newContext(t, m, ContextOptions{Size: 256, Threads: 2})
				ids := text(t, m, tokens)
				all := outputs(t, c, ids)
				c.Clear()
				// so that what is not computed is another text's
				outputs(t, c, text(t, m, tokens+1)[1:])
				c.Clear()
				c.WantOnly(wanted[:2], wanted[2:])
				few := outputs(t, c, ids)
				same := 0
				for i := range all {
					id := int32(i % m.Vocab().Size())
					switch {
					case slices.Contains(wanted, id) && few[i] != all[i]:
						t.Errorf("token %d: %v, want %v", id, few[i], all[i])
					case few[i] == all[i]:
						same++
					}
				}
				t.Logf("%s: %d of %d logits are those of all", t.Name(), same, len(all))
				if tokens == 1 && cpu.X86.HasAVX2 && same > len(all)/4 {
					t.Errorf("%d of %d logits were computed", same, len(all))
				}
				c.Clear()
				c.WantAll()
				if again := outputs(t, c, ids); !slices.Equal(again, all) {
					t.Error("logits differ after all are wanted again")
				}
			})
		}
	}
}

// outputs are the logits of all tokens of a text, evaluated at once.
func outputs(t *testing.T, c *Context, ids []int32) (logits []float32) {
	b := NewBatch(len(ids), 1)
	defer b.Close()
	for i, id := range ids {
		put(b, id, i, true, 0)
	}
	if err := c.Decode(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	for i := range ids {
		logits = append(logits, c.Logits(i)...)
	}
	return logits
}
