//go:build cgo

package native

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/llama"
	"tenon/engine/worker"
	"tenon/engine/worker/runner"
)

// repetitive is a turn of few different tokens, so that what comes next has often been said.
func repetitive(seed uint32, temperature float32) engine.Turn {
	turn := engine.Turn{
		Prompt: engine.Plain(fmt.Sprint("Say abab or abba, ", seed, ", say abab or ab")), Logprobs: -1,
		Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &temperature}, Seed: &seed},
	}
	turn.Grammar = []string{`root ::= [ab]{200}`, `root ::= ("{\"key\": " [0-3]{1,3} ", \"other key\": [" [ab]{2,5} "]}\n"){1,20}`, ``}[seed%3]
	turn.Budget.Tokens = 200
	return turn
}

// another is a model of the same vocabulary that says something else.
func another(t *testing.T, path string) string {
	kind, _, _ := strings.Cut(filepath.Base(path), ".")
	return tinymodel.File(t, tinymodel.Options{Kind: tinymodel.Kind(kind), Seed: 7})
}

// What a turn says is the same with drafts, greedily and by chance, alone and beside others, with
// a draft model and without. No layer is on a GPU: its kernels round by the size of a step.
func TestDrafts_changeNothingThatTheRealSamplerSays(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		o := worker.Options{Model: path, Context: 4096, Slots: 3, GPULayers: -1}
		with := load(t, o)
		const turns = 12 // of three grammars, greedily and by chance, twice
		texts := map[engine.Engine]*[turns]string{with: {}}
		if with.Model().Rewind == engine.RewindAny {
			for _, o.Draft = range []string{path, another(t, path)} {
				texts[load(t, o)] = &[turns]string{}
			}
		}
		o.Drafts = worker.Off
		without := load(t, o)
		texts[without] = &[turns]string{}
		for e, said := range texts {
			for begin := 0; begin < turns; begin += 3 {
				var all sync.WaitGroup
				for i := begin; i < begin+3; i++ {
					all.Go(func() { said[i] = say(t, e, repetitive(uint32(i), float32(i%2))).text })
				}
				all.Wait()
			}
		}
		for _, said := range texts {
			for i, text := range texts[without] {
				if text != said[i] {
					t.Errorf("turn %d: %q\nwith drafts %q", i, text, said[i])
				}
			}
		}
		s := with.Stats()
		if drafts := with.Model().Rewind == engine.RewindAny; drafts != (s.Accepted > 0) || without.Stats().Drafted > 0 {
			t.Errorf("rewind %v: %d of %d drafted tokens were accepted, without %d", with.Model().Rewind, s.Accepted, s.Drafted, without.Stats().Drafted)
		}
	})
}

// Of many draws (100,000 with TENON_ALL) as many are the likeliest token, and as many the second,
// as their probabilities say: what a draft proposes is not chosen more often for that.
func TestDrafts_leaveTheDistribution(t *testing.T) {
	enough := 2000
	if os.Getenv("TENON_ALL") != "" {
		enough = 100_000
	}
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 4096})
		if r.Model().Rewind != engine.RewindAny {
			t.Skip("no drafts")
		}
		if os.Getenv("TENON_ALL") != "" { // it says much the same
			r = load(t, worker.Options{Model: path, Context: 4096, Draft: another(t, path)})
		}
		draws, wanted := 0, [2]struct{ seen, expected, variance float64 }{}
		for seed := uint32(0); draws < enough; seed++ {
			turn := repetitive(seed*3, 0.7)
			turn.Grammar, turn.Budget.Tokens = "", 2000
			everything, nothing := 0, float32(0)
			one := float32(1)
			turn.Sampling.TopK, turn.Sampling.TopP, turn.Sampling.MinP = &everything, &one, &nothing
			turn.Sampling.LogitBias = map[int32]float32{}
			turn.Logprobs = r.Model().Vocab.Size
			for _, token := range say(t, r, turn).tokens {
				draws++
				sum := 0.0
				for _, l := range token.Top {
					sum += math.Exp(float64(l.Logprob) / 0.7)
				}
				for i := range wanted {
					p := math.Exp(float64(token.Top[i].Logprob)/0.7) / sum
					w := &wanted[i]
					w.expected, w.variance = w.expected+p, w.variance+p*(1-p)
					if token.ID == token.Top[i].ID {
						w.seen++
					}
				}
			}
		}
		for i, w := range wanted {
			if z := (w.seen - w.expected) / math.Sqrt(w.variance); math.Abs(z) > 4 {
				t.Errorf("token %d of the likeliest: %.0f times of %d, not %.0f (%.1f standard deviations)", i+1, w.seen, draws, w.expected, z)
			}
		}
		s := r.Stats()
		t.Logf("%d draws, %d drafted, %d accepted, in %d steps", draws, s.Drafted, s.Accepted, s.Steps)
	})
}

// A draft model sees what the model sees: what it finds likely of the same tokens is the same,
// also after it was cut, and beside another sequence.
func TestDraft_evaluatesAsTheModelDoes(t *testing.T) {
	for _, kind := range []tinymodel.Kind{tinymodel.FullAttention, tinymodel.SlidingWindow} {
		o := worker.Options{Model: tinymodel.File(t, tinymodel.Options{Kind: kind}), Context: 512, Slots: 2, Threads: 1, FlashAttention: worker.Off}
		o.Draft = o.Model
		m, err := llama.Load(t.Context(), o.Model, llama.ModelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := newBackend(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		d, err := loadDraft(t.Context(), m, o)
		if err != nil {
			t.Fatal(err)
		}
		if d.Sequences() != 2 || d.Cells() < 2*runner.DraftRoom {
			t.Errorf("%d sequences in %d cells", d.Sequences(), d.Cells())
		}
		likely := func(e runner.Evaluator, ids []int32) []runner.Logprob {
			var batch []runner.Entry
			for i, id := range ids {
				batch = append(batch, runner.Entry{Token: id, Position: i, Sequence: 1, Logits: i == len(ids)-1})
			}
			e.Cut(1, 0)
			if err := e.Decode(t.Context(), batch); err != nil {
				t.Fatal(err)
			}
			_, top := e.Logprobs(e.Logits(len(ids)-1), 0, 5)
			return top
		}
		for _, ids := range [][]int32{{40, 41, 42}, {40, 43, 44, 45}} {
			if x, y := likely(b, ids), likely(d, ids); !slices.Equal(x, y) {
				t.Errorf("%s: %v, not %v", kind, y, x)
			}
		}
		_, _ = d.Close(), b.Close()
	}
}

// A worker reads the draft model's file, too; one that does not fit is refused, and both are
// named.
func TestDraft_mustFit(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	w := start(t, worker.Options{Name: "tiny", Model: path, Context: 512, FlashAttention: worker.Off, Draft: another(t, path)})
	if a := say(t, w, greedy("Once upon a time", 30)); len(a.ids) != 30 {
		t.Errorf("%q", a.text)
	}
	for name, c := range map[string]struct{ draft, want string }{
		"another vocabulary": {tinymodel.File(t, tinymodel.Options{Kind: tinymodel.SlidingWindow}), "its vocabulary has"},
		"more tokens":        {tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention, Shape: tinymodel.Shape{Vocab: 1000}}), "1000 tokens"},
		"a running state":    {tinymodel.File(t, tinymodel.Options{Kind: tinymodel.Hybrid}), "cannot be cut"},
		"no file":            {filepath.Join(t.TempDir(), "none.gguf"), "no such file"},
	} {
		_, err := Load(t.Context(), worker.Options{Model: path, Context: 512, FlashAttention: worker.Off, Draft: c.draft}, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.draft) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
