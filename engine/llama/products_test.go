//go:build cgo

package llama

import (
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/cpu"

	"tenon/engine/enginetest/tinymodel"
)

// Products of many tokens, of a few and of one are computed in different ways. What they give is
// the same, and what weights without blocks give, as far as activations of 8 bits go. With
// tenon's kernels few tokens have the very sums of one; attention sums those of sixteen and more
// in another order.
func TestProducts_ofBlocksSameAsOfFloats(t *testing.T) {
	if Source == "shared libllama" {
		t.Skip("the kernels are ggml's own: beside an H200, products of Q4_K of 60 tokens were 8 % off")
	}
	for name, weights := range map[string]tinymodel.Weights{
		"Q8_0": tinymodel.Q8_0, "Q5_0": tinymodel.Q5_0, "Q4_K": tinymodel.Q4_K, "Q6_K": tinymodel.Q6_K,
	} {
		t.Run(name, func(t *testing.T) {
			model := tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1, Weights: weights, Shape: tinymodel.Shape{Layers: 1, Embedding: 256, FeedForward: 512}}
			blocks := load(t, model, onCPU())
			model.Widened = true
			floats := load(t, model, onCPU())
			ids := text(t, blocks, 60)
			want := inPieces(t, floats, ids, len(ids))
			most := distance(want, make([]float32, len(want)))
			exact := runtime.GOOS == "linux" && cpu.X86.HasAVX2
			alone := inPieces(t, blocks, ids, 1)
			if d := distance(alone, want); !(d < most/20) {
				t.Errorf("logits up to %.3f differ by %.3f from those of floats", most, d)
			}
			sizes := []int{60, 17}
			for size := 16; size > 1; size-- { // each has code of its own
				sizes = append(sizes, size)
			}
			for _, size := range sizes {
				// two pieces: the second has a past
				some := ids[:min(2*size, len(ids))]
				limit := most / 50 // ggml on ARM: 1.2 %
				if exact && size < 16 {
					limit = 0
				}
				if d := distance(inPieces(t, blocks, some, size), alone[:len(alone)/len(ids)*len(some)]); !(d <= limit) {
					t.Errorf("in pieces of %d logits up to %.3f differ by %.3f", size, most, d)
				}
			}
		})
	}
}

// onCPU keeps all layers from a GPU, whose kernels are ggml's own: odd cells spoil others there.
func onCPU() ModelOptions { return ModelOptions{GPULayers: new(int)} }

// inPieces are the logits of all tokens of a text when so many are evaluated at a time.
func inPieces(t *testing.T, m *Model, ids []int32, size int) (logits []float32) {
	c := newContext(t, m, ContextOptions{Size: 256, Threads: 2})
	b := NewBatch(size, 1)
	defer b.Close()
	for piece := range slices.Chunk(ids, size) {
		b.Clear()
		at := c.MaxPosition(0) + 1
		for i, id := range piece {
			put(b, id, at+i, true, 0)
		}
		if err := c.Decode(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		for i := range piece {
			logits = append(logits, c.Logits(i)...)
		}
	}
	return logits
}
