//go:build cgo

package llama

import (
	"context"
	"errors"
	"slices"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// A batch may be evaluated in parts though it is no larger than a micro-batch: where a sliding
// window's cells have no room for it at once (the equal split in llama-kv-cache-iswa.cpp). The
// logits of the first part must outlive the second.
func TestLogits_ofABatchThatAFullWindowSplits(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.SlidingWindow, Seed: 1}, onCPU())
	ids := text(t, m, 300)
	split := func(t *testing.T, n int) (first []float32, ok bool) {
		c := newContext(t, m, ContextOptions{Size: 1024, Sequences: 2, MicroBatch: 128, Batch: 256})
		defer c.Close()
		evaluate(t, c, 0, ids[:120])
		evaluate(t, c, 0, ids[120:200])
		// no token takes cells that two sequences hold
		if err := c.Share(0, 1, 200); err != nil {
			t.Fatal(err)
		}
		evaluate(t, c, 0, ids[200:240])
		b := NewBatch(n+1, 1)
		defer b.Close()
		for i := range n {
			put(b, ids[i], 240+i, false, 0)
		}
		put(b, ids[7], 200, true, 1)
		err := c.Decode(context.Background(), b)
		if errors.Is(err, ErrNoMemorySlot) {
			return nil, false
		}
		if err != nil {
			t.Fatal(err)
		}
		return slices.Clone(c.Logits(n)), true
	}
	want, _ := split(t, 1)
	for n := 2; n < 60; n++ {
		got, ok := split(t, n)
		if !ok {
			t.Logf("no room for %d", n)
			break
		}
		if d := distance(got, want); !(d < 0.05) {
			t.Errorf("beside %d tokens of another sequence logits differ by %g", n, d)
		}
	}
}

// After a decode that found no room nothing may be read, or what was there before it.
func TestLogits_afterADecodeThatFailed(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1}, onCPU())
	ids := text(t, m, 256)
	c := newContext(t, m, ContextOptions{Size: 256, Sequences: 2, Batch: 256, MicroBatch: 256})
	want := evaluate(t, c, 0, ids[:100])
	b := NewBatch(200, 1)
	defer b.Close()
	for i := range 200 {
		put(b, ids[i], i, i == 99, 1)
	}
	if err := c.Decode(context.Background(), b); !errors.Is(err, ErrNoMemorySlot) {
		t.Fatal(err)
	}
	got := c.Logits(99)
	if got != nil && distance(got, want) != 0 {
		t.Errorf("logits differ by %g from those before", distance(got, want))
	}
}

// Logits of a batch that is evaluated in parts are copied. Those of others may stay where they
// were computed. Both give the same: for all tokens, for some, for the last, of two sequences.
func TestLogits_sameWhereTheyStay(t *testing.T) {
	for _, kind := range chatKinds {
		t.Run(string(kind), func(t *testing.T) { logitsStay(t, kind) })
	}
}

func logitsStay(t *testing.T, kind tinymodel.Kind) {
	m := load(t, tinymodel.Options{Kind: kind, Seed: 1}, onCPU())
	ids := text(t, m, 12)
	logits := func(microBatch int, outputs func(i int) bool) (all []float32) {
		c := newContext(t, m, ContextOptions{Size: 256, Sequences: 2, MicroBatch: microBatch})
		b := NewBatch(len(ids), 1)
		defer b.Close()
		for i, id := range ids {
			put(b, id, i/2, outputs(i), i%2)
		}
		if err := c.Decode(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		for i := range ids {
			if outputs(i) {
				all = append(all, c.Logits(i)...)
			} else if c.Logits(i) != nil {
				t.Errorf("token %d has logits", i)
			}
		}
		return all
	}
	for name, outputs := range map[string]func(int) bool{
		"all": func(int) bool { return true }, "some": func(i int) bool { return i%5 == 1 }, "last": func(i int) bool { return i == len(ids)-1 },
	} {
		want := logits(len(ids)/4, outputs)
		most := distance(want, make([]float32, len(want)))
		if d := distance(logits(len(ids), outputs), want); !(d < most/100) {
			t.Errorf("%s: logits up to %.3f differ by %.3f", name, most, d)
		}
	}
}
