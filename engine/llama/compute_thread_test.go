//go:build cgo

package llama

import (
	"context"
	"slices"
	"sync"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

func TestDecode_contextsOfAModelTakeTurns(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	want := lastLogits(t, m)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 5 {
				if got := lastLogits(t, m); !slices.Equal(got, want) {
					t.Error("beside others a context computes something else than alone")
				}
			}
		})
	}
	all.Wait()
}

// lastLogits are those of a short text's last token, in a context of its own.
func lastLogits(t *testing.T, m *Model) []float32 {
	c, err := m.NewContext(ContextOptions{Size: 256, Threads: 1})
	if err != nil {
		t.Error(err)
		return nil
	}
	defer c.Close()
	b := NewBatch(1, 1)
	defer b.Close()
	for i := range 8 {
		b.Clear()
		if _, err := b.Add(int32(40+i), i, true, 0); err != nil {
			t.Error(err)
		}
		if err := c.Decode(context.Background(), b); err != nil {
			t.Error(err)
		}
	}
	return slices.Clone(c.Logits(0))
}
