//go:build cgo

package llama

import (
	"fmt"
	"slices"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// Products of many tokens, of a few and of one are computed in different ways. What they give is the same, and what weights
// without blocks give, as far as activations of 8 bits go.
func TestProducts_ofBlocksSameAsOfFloats(t *testing.T) {
	for name, weights := range map[string]tinymodel.Weights{"Q8_0": tinymodel.Q8_0, "Q5_0": tinymodel.Q5_0} {
		t.Run(name, func(t *testing.T) {
			model := tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1, Weights: weights}
			blocks := load(t, model, ModelOptions{})
			model.Widened = true
			floats := load(t, model, ModelOptions{})
			ids := text(t, blocks, 120)
			want := evaluate(t, newContext(t, floats, ContextOptions{Size: 256}), 0, ids)
			alone := inPieces(t, blocks, ids, 1)
			if d, most := distance(alone, want), distance(want, make([]float32, len(want))); !(d < most/20) {
				t.Errorf("logits differ by %.3f from those of floats, the largest of which is %.3f", d, most)
			}
			for _, size := range []int{120, 40, 17, 3, 2} {
				sameLogits(t, fmt.Sprint("in pieces of ", size), inPieces(t, blocks, ids, size), alone)
			}
		})
	}
}

// inPieces are a text's last logits when so many tokens are evaluated at a time.
func inPieces(t *testing.T, m *Model, ids []int32, size int) (logits []float32) {
	c := newContext(t, m, ContextOptions{Size: 256, Threads: 2})
	for piece := range slices.Chunk(ids, size) {
		logits = evaluate(t, c, 0, piece)
	}
	return logits
}
