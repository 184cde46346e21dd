//go:build cgo

package llama

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
)

var chatKinds = []tinymodel.Kind{tinymodel.FullAttention, tinymodel.SlidingWindow, tinymodel.Hybrid}

func load(t testing.TB, o tinymodel.Options, options ModelOptions) *Model {
	t.Helper()
	m, err := Load(context.Background(), tinymodel.File(t, o), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func newContext(t testing.TB, m *Model, o ContextOptions) *Context {
	t.Helper()
	if o.Threads == 0 {
		// tiny models gain nothing from more, and tests run beside each other
		o.Threads = 1
	}
	c, err := m.NewContext(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func forEachKind(t *testing.T, o ContextOptions, f func(t *testing.T, c *Context)) {
	for _, k := range chatKinds {
		t.Run(string(k), func(t *testing.T) {
			f(t, newContext(t, load(t, tinymodel.Options{Kind: k, Seed: 1}, ModelOptions{}), o))
		})
	}
}

// evaluate adds tokens to a sequence and returns a copy of the last one's logits.
func evaluate(t testing.TB, c *Context, sequence int, ids []int32) []float32 {
	t.Helper()
	b := NewBatch(len(ids), 1)
	defer b.Close()
	at := c.MaxPosition(sequence) + 1
	for i, id := range ids {
		put(b, id, at+i, i == len(ids)-1, sequence)
	}
	if err := c.Decode(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(c.Logits(len(ids) - 1))
}

// put adds a token; a test that overfills its batch is wrong.
func put(b *Batch, id int32, position int, output bool, sequence int) {
	if _, err := b.Add(id, position, output, sequence); err != nil {
		panic(err)
	}
}

// text is n tokens of some text.
func text(t testing.TB, m *Model, n int) []int32 {
	t.Helper()
	var ids []int32
	for len(ids) < n {
		more, err := m.Vocab().Tokenize(context.Background(), "The weather in the city is cold, and the wind is strong. ")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, more...)
	}
	return ids[:n]
}

// sameLogits allows for what another order of additions changes.
func sameLogits(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if worst := distance(got, want); !(worst <= 0.05) { // NaN is neither
		t.Errorf("%s: logits differ by %.3f", what, worst)
	}
}

// distance is the largest difference of two logits; NaN where they cannot be compared.
func distance(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var worst float64
	for i := range a {
		worst = max(worst, math.Abs(float64(a[i]-b[i])))
	}
	return worst
}

func TestRewind_saysWhatTheMemoryCanDo(t *testing.T) {
	want := map[string]engine.Rewind{
		"full": engine.RewindAny, "sliding": engine.RewindWindow, "hybrid": engine.RewindCheckpoints,
	}
	for _, k := range chatKinds {
		c := newContext(t, load(t, tinymodel.Options{Kind: k}, ModelOptions{}), ContextOptions{Size: 256})
		if got := c.Rewind(); got != want[string(k)] {
			t.Errorf("%s: %d, want %d", k, got, want[string(k)])
		}
	}
	whole := newContext(t, load(t, tinymodel.Options{Kind: tinymodel.SlidingWindow}, ModelOptions{}), ContextOptions{Size: 256, SWAFull: true})
	if got := whole.Rewind(); got != engine.RewindAny {
		t.Errorf("sliding window with all cells kept: %d, want any", got)
	}
}

// What is cut and evaluated again must give what a fresh sequence gives, and where that cannot be,
// Cut must refuse.
func TestCut_sameAsFreshOrRefused(t *testing.T) {
	forEachKind(t, ContextOptions{Size: 1024, Sequences: 2, MicroBatch: 32}, func(t *testing.T, c *Context) {
		ids := text(t, c.model, 300)
		for _, at := range []int{299, 290, 200, 10} {
			c.Clear()
			evaluate(t, c, 0, ids[:200])
			evaluate(t, c, 0, ids[200:])
			if !c.Cut(0, at) {
				if c.Rewind() == engine.RewindAny || c.Rewind() == engine.RewindWindow && at > 300-tinymodel.Window/2 {
					t.Errorf("cut at %d refused", at)
				}
				if c.MaxPosition(0) != 299 {
					t.Errorf("refused cut at %d left position %d", at, c.MaxPosition(0))
				}
				continue
			}
			sameLogits(t, "after a cut", evaluate(t, c, 0, ids[at:]), evaluate(t, c, 1, ids))
		}
	})
}

// Where a sequence went on, what was saved of it before takes it back, whatever can be cut.
func TestSave_goesBackOnEveryKind(t *testing.T) {
	forEachKind(t, ContextOptions{Size: 1024, Sequences: 2, MicroBatch: 32}, func(t *testing.T, c *Context) {
		ids := text(t, c.model, 300)
		evaluate(t, c, 0, ids[:100])
		state, err := c.Save(0)
		if err != nil {
			t.Fatal(err)
		}
		evaluate(t, c, 0, ids[100:])
		if err := c.Restore(0, state, 100); err != nil {
			t.Fatal(err)
		}
		sameLogits(t, "after going back", evaluate(t, c, 0, ids[100:150]), evaluate(t, c, 1, ids[:150]))
	})
}

func TestSave_movesASequenceOutAndBack(t *testing.T) {
	forEachKind(t, ContextOptions{Size: 512, Sequences: 2}, func(t *testing.T, c *Context) {
		ids := text(t, c.model, 120)
		evaluate(t, c, 0, ids[:100])
		state, err := c.Save(0)
		if err != nil {
			t.Fatal(err)
		}
		c.Clear()
		if err := c.Restore(1, state, 100); err != nil {
			t.Fatal(err)
		}
		sameLogits(t, "restored", evaluate(t, c, 1, ids[100:]), evaluate(t, c, 0, ids))
		if err := c.Restore(1, state[:len(state)/2], 100); err == nil {
			t.Error("half a state was restored")
		}
		if c.MaxPosition(1) != -1 {
			t.Error("a failed restore left cells")
		}
	})
}

func TestShare_prefixIsNotEvaluatedAgain(t *testing.T) {
	forEachKind(t, ContextOptions{Size: 512, Sequences: 3}, func(t *testing.T, c *Context) {
		ids := text(t, c.model, 200)
		evaluate(t, c, 0, ids[:180])
		for _, s := range []int{1, 2} { // 3 × 180 tokens would not fit 512 cells
			if err := c.Share(0, s, 180); err != nil {
				t.Fatal(err)
			}
		}
		shared := evaluate(t, c, 1, ids[180:])
		c.Cut(0, 0)
		other := evaluate(t, c, 2, ids[180:])
		c.Clear()
		fresh := evaluate(t, c, 0, ids)
		sameLogits(t, "shared", shared, fresh)
		sameLogits(t, "after the first ended", other, fresh)
	})
}

func TestDecode_refusesWhatLlamaWouldAbortOn(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{})
	c := newContext(t, m, ContextOptions{Size: 256, Batch: 16, Sequences: 2})
	for name, fill := range map[string]func(b *Batch){
		"empty":             func(*Batch) {},
		"token too large":   func(b *Batch) { put(b, int32(m.Vocab().Size()), 0, true, 0) },
		"negative token":    func(b *Batch) { put(b, -1, 0, true, 0) },
		"sequence":          func(b *Batch) { put(b, 1, 0, true, 2) },
		"negative sequence": func(b *Batch) { put(b, 1, 0, true, -1) },
		"gap":               func(b *Batch) { put(b, 1, 7, true, 0); put(b, 1, 9, true, 0) },
		"too many": func(b *Batch) {
			for i := range 17 {
				put(b, 1, i, false, 0)
			}
		},
	} {
		b := NewBatch(32, 1)
		fill(b)
		if err := c.Decode(context.Background(), b); err == nil {
			t.Errorf("%s: accepted", name)
		}
		b.Close()
	}
	if c.Logits(0) != nil || c.Logits(-1) != nil || c.Embedding(0) != nil || c.Embedding(9) != nil {
		t.Error("results without a decode")
	}
	c.Close()
	if err := c.Decode(context.Background(), NewBatch(1, 1)); err == nil {
		t.Error("a closed context decodes")
	}
}

func TestDecode_fullCacheIsToldApart(t *testing.T) {
	c := newContext(t, load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{}), ContextOptions{Size: 256, Sequences: 2})
	evaluate(t, c, 0, text(t, c.model, 200))
	b := NewBatch(100, 1)
	defer b.Close()
	for i, id := range text(t, c.model, 100) {
		put(b, id, i, i == 99, 1)
	}
	if err := c.Decode(context.Background(), b); !errors.Is(err, ErrNoMemorySlot) {
		t.Fatalf("%v, want ErrNoMemorySlot", err)
	}
	c.Cut(0, 0)
	if err := c.Decode(context.Background(), b); err != nil {
		t.Errorf("after room was made: %v", err)
	}
}

func TestDecode_cancelledStopsAndContextStaysUsable(t *testing.T) {
	forEachKind(t, ContextOptions{Size: 2048}, func(t *testing.T, c *Context) {
		ids := text(t, c.model, 600)
		want := evaluate(t, c, 0, ids)
		c.Clear()
		b := NewBatch(len(ids), 1)
		defer b.Close()
		for i, id := range ids {
			put(b, id, i, i == len(ids)-1, 0)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if err := c.Decode(ctx, b); !errors.Is(err, context.Canceled) {
			t.Fatalf("%v, want context.Canceled", err)
		}
		c.Cut(0, 0)
		sameLogits(t, "after a cancelled decode", evaluate(t, c, 0, ids), want)
	})
}

func TestLoad_badFiles(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.gguf")
	if err := tinymodel.WriteFile(whole, tinymodel.Options{Kind: tinymodel.FullAttention}); err != nil {
		t.Fatal(err)
	}
	for name, path := range badFiles(t, whole) {
		m, err := Load(context.Background(), path, ModelOptions{})
		if err == nil {
			m.Close()
			t.Errorf("%s was loaded", name)
		}
		t.Logf("%s: %v", name, err)
	}
	unknown := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Architecture: "perpetuum-mobile"})
	if _, err := Load(context.Background(), unknown, ModelOptions{}); err == nil || !strings.Contains(err.Error(), `architecture "perpetuum-mobile"`) {
		t.Errorf("%v does not name the architecture", err)
	}
}

func TestLoad_progressAndCancel(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.SlidingWindow})
	var seen []float32
	m, err := Load(context.Background(), path, ModelOptions{Progress: func(f float32) { seen = append(seen, f) }})
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	if !slices.IsSorted(seen) || len(seen) < 2 || seen[len(seen)-1] != 1 {
		t.Errorf("progress was reported as %v", seen)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if _, err = Load(ctx, path, ModelOptions{Progress: func(float32) { cancel() }}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

func TestDecode_lateCancelDoesNotHitTheNextOne(t *testing.T) {
	c := newContext(t, load(t, tinymodel.Options{Kind: tinymodel.FullAttention}, ModelOptions{}), ContextOptions{Size: 256})
	b := NewBatch(1, 1)
	defer b.Close()
	for range 100 {
		c.Clear()
		b.Clear()
		put(b, 1, 0, true, 0)
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		if err := c.Decode(ctx, b); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		c.Clear()
		if err := c.Decode(context.Background(), b); err != nil {
			t.Fatalf("the decode after a cancelled one: %v", err)
		}
	}
}

func TestAppend_sameAsFreshOrRefused(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Seed: 1}, ModelOptions{})
	c := newContext(t, m, ContextOptions{Size: 512, Sequences: 4})
	ids := text(t, m, 200)
	evaluate(t, c, 0, ids[:150])
	if err := c.Append(0, 1, 100, 150); err != nil {
		t.Fatal(err)
	}
	tail, err := c.Save(1)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Cut(1, 0) || !c.Cut(0, 100) {
		t.Fatal("cut refused")
	}
	if err := c.Restore(2, tail, 150); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][2]int{{101, 150}, {90, 150}, {100, 151}, {100, 100}} {
		if err := c.Append(2, 0, wrong[0], wrong[1]); err == nil {
			t.Errorf("positions %d to %d were appended after 99", wrong[0], wrong[1])
		}
	}
	if err := c.Append(2, 0, 100, 130); err != nil {
		t.Fatal(err)
	}
	c.Cut(2, 0)
	sameLogits(t, "a part restored", evaluate(t, c, 0, ids[130:]), evaluate(t, c, 3, ids))
}

// llama.cpp takes cells that a sliding window has passed for the tokens of other sequences, though
// others are free.
func TestCut_afterOthersCameByTheCells(t *testing.T) {
	m := load(t, tinymodel.Options{Kind: tinymodel.SlidingWindow, Seed: 1}, ModelOptions{})
	c := newContext(t, m, ContextOptions{Size: 1024, Sequences: 4, SWAFull: true})
	ids := text(t, m, 400)
	evaluate(t, c, 1, ids)
	evaluate(t, c, 0, ids[:100])
	c.Cut(1, 200)
	// first where sequence 1 was, then on over the cells of sequence 0
	evaluate(t, c, 2, ids[:300])
	if err := c.Append(0, 3, 0, 100); err != nil {
		t.Fatalf("the beginning is gone: %v", err)
	}
	if !c.Cut(0, 50) {
		t.Fatal("cut refused")
	}
	got := evaluate(t, c, 0, ids[50:120])
	c.Clear()
	sameLogits(t, "cut and gone on", got, evaluate(t, c, 0, ids[:120]))
}
