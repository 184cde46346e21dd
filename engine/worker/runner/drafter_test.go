package runner

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"tenon/engine"
	"tenon/grammar"
)

// fakeDraft is a draft model. It counts what it does.
type fakeDraft struct {
	*fakeModel
	steps, read, most int // tokens, in all and in one step
	fails             bool
	took              time.Duration // of a token; default a millisecond
}

func drafting(f *fakeModel) *fakeDraft {
	f.cells, f.sequences = 4*DraftRoom, 4
	return &fakeDraft{fakeModel: f, took: time.Millisecond}
}

// options are o with the draft model, if there is one.
func (d *fakeDraft) options(o Options) Options {
	if d != nil {
		o.Draft, o.tookDraft = d, func(n int) time.Duration { return d.took * time.Duration(9+n) / 10 }
	}
	return o
}

func (d *fakeDraft) Decode(ctx context.Context, batch []Entry) error {
	d.steps, d.read, d.most = d.steps+1, d.read+len(batch), max(d.most, len(batch))
	if d.fails {
		return errors.New("no memory")
	}
	return d.fakeModel.Decode(ctx, batch)
}

func (d *fakeDraft) Logprobs(logits []float32, id int32, n int) (float32, []Logprob) {
	total := 0.0
	all := make([]Logprob, len(logits))
	for i, v := range logits {
		total += math.Exp(float64(v))
		all[i].ID = int32(i)
	}
	for i, v := range logits {
		all[i].Value = v - float32(math.Log(total))
	}
	own := all[id].Value
	slices.SortStableFunc(all, func(a, b Logprob) int { return cmp.Compare(b.Value, a.Value) })
	return own, all[:n]
}

// certain is a fake model that repeats no text and gives one token nearly all of the probability.
// Two with the same salt say the same.
func certain(salt int32) *fakeModel {
	f := newFake()
	f.logits = func(s []fakeCell) []float32 {
		row := fakeLogits(append(slices.Clone(s), fakeCell{token: salt}))
		for i := range row {
			row[i] *= 10
		}
		return row
	}
	return f
}

// A draft model that says what the model says is always right, and saves most steps.
func TestDrafter_theModelItself(t *testing.T) {
	d := drafting(certain(1))
	r := newRunner(t, certain(1), d.options(Options{took: cheap}))
	if a := say(t, r, ask("prompt", 200)); a.finish.Usage.Accepted != a.finish.Usage.Drafted {
		t.Errorf("%+v", a.finish.Usage)
	}
	s := r.Stats()
	if s.Steps > 40 || s.Accepted+s.Steps < 199 || d.steps > 210 {
		t.Errorf("%d accepted in %d steps, by %d of the draft model", s.Accepted, s.Steps, d.steps)
	}
}

// One that is never right, and one that takes as long as the model, are soon asked no more.
func TestDrafter_isSwitchedOffWhereItDoesNotPay(t *testing.T) {
	for name, d := range map[string]*fakeDraft{"another": drafting(certain(2)), "as slow": drafting(certain(1))} {
		if name == "as slow" {
			d.took = cheap(make([]Entry, 1))
		}
		r := newRunner(t, certain(1), d.options(Options{took: cheap}))
		said := say(t, r, ask("prompt", 2000))
		took, whole := time.Duration(d.steps)*d.took, 2000*cheap(make([]Entry, 1))
		if want := say(t, newRunner(t, certain(1), Options{NoDrafts: true}), ask("prompt", 2000)).text; said.text != want {
			t.Errorf("%s: another text", name)
		}
		if s := r.Stats(); took > whole/50 || s.Drafted > 60 || s.Steps < 1940 {
			t.Errorf("%s: %d tokens were tried in %d steps; the draft model made %d steps", name, s.Drafted, s.Steps, d.steps)
		}
	}
}

// Whatever the draft model proposes, and is shown of it, the grammar allows.
func TestDrafter_saysWhatTheGrammarAllows(t *testing.T) {
	const source = `root ::= ("{key one: " [0-3]+ ", key two: " [a-c]{2,9} "}"){20}`
	g, err := grammar.Parse(source, grammar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*fakeModel{certain(1), certain(2)} {
		d, main := drafting(f), certain(1)
		d.took = time.Millisecond / 10
		for _, m := range []*fakeModel{d.fakeModel, main} {
			m.step = func(batch []Entry) {
				var said []int32
				for _, c := range m.memory[batch[0].Sequence] {
					said = append(said, c.token)
				}
				for _, e := range batch {
					said = append(said, e.Token)
				}
				if n := len("prompt"); len(said) > n && accept(g.Matcher(fakeVocab()), said[n:]) != nil {
					t.Errorf("%v is not allowed", said[n:])
				}
			}
		}
		r := newRunner(t, main, d.options(Options{took: cheap}))
		turn := ask("prompt", 1000)
		turn.Grammar = source
		say(t, r, turn)
		if r.Stats().Drafted == 0 || d.steps == 0 {
			t.Error("nothing was drafted")
		}
	}
}

// Of a long prompt it reads the end, in pieces between which streams go on; and where its memory
// is full, the end again.
func TestDrafter_readsTheEndInPieces(t *testing.T) {
	d := drafting(certain(2))
	d.took = time.Millisecond / 10
	r := newRunner(t, certain(1), d.options(Options{Slots: 2, took: cheap}))
	prompt := make([]byte, 2000)
	for i := range prompt {
		prompt[i] = byte('a' + i*i%26)
	}
	say(t, r, ask(string(prompt), 6))
	if d.steps == 0 || d.most > draftRead || d.read != d.steps*draftRead {
		t.Errorf("it read %d tokens in %d steps, at most %d at once", d.read, d.steps, d.most)
	}
	d = drafting(certain(1))
	r = newRunner(t, certain(1), d.options(Options{Slots: 2, took: cheap}))
	if say(t, r, ask(string(prompt), 1500)); d.next > 1500+3*(draftWindow+mostDrafted) {
		t.Errorf("it read %d tokens", d.next)
	}
}

// A draft model that fails is left alone, and no turn with it.
func TestDrafter_fails(t *testing.T) {
	d := drafting(certain(1))
	d.fails = true
	r := newRunner(t, certain(1), d.options(Options{took: cheap}))
	turn := ask("prompt", 50)
	plain := newRunner(t, certain(1), Options{NoDrafts: true})
	if got, want := say(t, r, turn).text, say(t, plain, turn).text; got != want || d.steps != 1 {
		t.Errorf("%q, not %q, after %d steps", got, want, d.steps)
	}
}

// What it has read of a turn is gone when the turn ends, also where it is cut short; the next is
// drafted as well.
func TestDrafter_forgetsTurns(t *testing.T) {
	d := drafting(certain(1))
	r := newRunner(t, certain(1), d.options(Options{Slots: 4, took: cheap}))
	for range 6 {
		s := open(t, r, ask("prompt", 400))
		for {
			if u, err := s.Next(t.Context()); err != nil || len(u.Tokens) > 0 {
				break
			}
		}
		_ = s.Close()
	}
	if a := say(t, r, ask("prompt", 100)); a.finish.Usage.Accepted < 50 || a.finish.Reason != engine.Length {
		t.Errorf("%+v", a.finish)
	}
	_ = r.ask(t.Context(), func(l *loop) error {
		for i, v := range l.drafter.views {
			if v.turn != nil || len(d.memory[i]) > 0 {
				t.Errorf("sequence %d holds %d tokens", i, len(d.memory[i]))
			}
		}
		return nil
	})
}
