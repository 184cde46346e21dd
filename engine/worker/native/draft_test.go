//go:build cgo

package native

import (
	"fmt"
	"math"
	"os"
	"sync"
	"testing"

	"tenon/engine"
	"tenon/engine/worker"
)

// repetitive is a turn of few different tokens, so that what comes next has often been said.
func repetitive(seed uint32, temperature float32) engine.Turn {
	turn := engine.Turn{
		Prompt: engine.Plain(fmt.Sprint("Say abab or abba, ", seed, ", say abab or ab")), Logprobs: -1,
		Sampling: engine.Sampling{Temperature: &temperature, Seed: &seed},
	}
	turn.Grammar = []string{`root ::= [ab]{200}`, `root ::= ("{\"key\": " [0-3]{1,3} ", \"other key\": [" [ab]{2,5} "]}\n"){1,20}`, ``}[seed%3]
	turn.Budget.Tokens = 200
	return turn
}

// What a turn says is the same with drafts, greedily and by chance, alone and beside others. No
// layer is on a GPU: its kernels round by the size of a step.
func TestDrafts_changeNothingThatTheRealSamplerSays(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		o := worker.Options{Model: path, Context: 4096, Slots: 3, GPULayers: -1}
		with := load(t, o)
		o.Drafts = worker.Off
		without := load(t, o)
		const turns = 12 // of three grammars, greedily and by chance, twice
		texts := map[engine.Engine]*[turns]string{with: {}, without: {}}
		for e, said := range texts {
			for begin := 0; begin < turns; begin += 3 {
				var all sync.WaitGroup
				for i := begin; i < begin+3; i++ {
					all.Go(func() { said[i] = say(t, e, repetitive(uint32(i), float32(i%2))).text })
				}
				all.Wait()
			}
		}
		for i, text := range texts[without] {
			if text != texts[with][i] {
				t.Errorf("turn %d: %q\nwith drafts %q", i, text, texts[with][i])
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
