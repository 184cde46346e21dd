package runner

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
	"tenon/engine/worker/schedule"
)

var rewinds = map[string]engine.Rewind{
	"any": engine.RewindAny, "window": engine.RewindWindow, "checkpoints": engine.RewindCheckpoints,
}

// Turns of all lengths on a memory that is too small for them, some of them given up half-way:
// whoever finishes says what it would have said alone.
func TestRunner_crowdedTurnsSayWhatTheyWouldAlone(t *testing.T) {
	for name, rewind := range rewinds {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.rewind, f.cells, f.context, f.sequences = rewind, 700, 600, 9
			r := newRunner(t, f, Options{Slots: 4, BatchSize: 64, UBatchSize: 48})
			rng := rand.New(rand.NewPCG(3, uint64(rewind)))
			var all sync.WaitGroup
			for i := range 60 {
				turn := ask(strings.Repeat("common ", rng.IntN(30))+strings.Repeat(fmt.Sprint(i%7), rng.IntN(200)), 1+rng.IntN(150))
				giveUp := rng.IntN(4) == 0
				all.Go(func() {
					s := open(t, r, turn)
					if giveUp {
						_, _ = s.Next(t.Context())
						_ = s.Close()
						return
					}
					a, err := read(t, s)
					if err != nil || a.text != alone(t, turn) {
						t.Errorf("turn %d: %v, said %q", i, err, a.text)
					}
				})
			}
			all.Wait()
			switch s := r.Stats(); {
			case s.Preempted == 0:
				t.Error("the memory was never short: the test tests nothing")
			case s.Preempted > 4*s.Steps:
				t.Errorf("turns made way %d times in %d steps: whoever does comes back before the others go on", s.Preempted, s.Steps)
			}
		})
	}
}

func TestSlowReader_pausesAloneAndMissesNothing(t *testing.T) {
	r := newRunner(t, newFake(), Options{Slots: 2})
	turn := ask("read slowly", 2000)
	slow := open(t, r, turn)
	for range 5 {
		say(t, r, ask("quick", 50))
	}
	if got := r.Stats().Generated; got > 5*50+mailboxTokens+1 {
		t.Errorf("%d tokens generated for nobody", got)
	}
	a, err := read(t, slow)
	if err != nil || a.text != alone(t, turn) {
		t.Errorf("%v, said %q", err, a.text)
	}
}

// A long prompt is evaluated in parts, and each step takes the running stream's token along. Where
// nobody watches the stream, parts are as large as they can be: what is wanted whole is only done
// sooner.
func TestPrompt_longOneDoesNotStallAStream(t *testing.T) {
	for _, c := range []struct {
		name  string
		whole bool
		// tokens of the first step with a part of the prompt, each of which seems to take
		// an hour
		first int
	}{
		{"watched", false, 1 + 1},
		{"wanted whole", true, 256 + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			steps := besideLongPrompt(t, c.whole)
			prompts := 0
			for _, batch := range steps[1:] {
				if len(batch) < smallestPrompt {
					continue
				}
				if prompts++; prompts == 1 && len(batch) != c.first {
					t.Errorf("the first part has %d tokens, want %d", len(batch), c.first)
				}
				if batch[0].Sequence == batch[len(batch)-1].Sequence {
					t.Errorf("a step of %d tokens leaves the stream out", len(batch))
				}
			}
			if prompts < 3000/256 {
				t.Errorf("the prompt took %d steps", prompts)
			}
		})
	}
}

// besideLongPrompt returns the steps of a runner that evaluates a prompt of 3,000 tokens while it
// generates.
func besideLongPrompt(t *testing.T, whole bool) [][]Entry {
	t.Helper()
	f := newFake()
	begun, arrived := make(chan struct{}), make(chan struct{})
	var begin sync.Once
	var steps [][]Entry
	f.step = func(batch []Entry) {
		begin.Do(func() { close(begun) })
		<-arrived
		steps = append(steps, append([]Entry(nil), batch...))
	}
	r := New(f, Options{Slots: 2, UBatchSize: 256, NoDrafts: true})
	turn := ask("stream", 400)
	turn.Whole = whole
	stream := open(t, r, turn)
	<-begun
	r.post(func(l *loop) {
		l.pace = schedule.Pace{}
		l.pace.Note(1, 0, time.Hour, l.limits)
	})
	go func() {
		defer close(arrived)
		// the loop is held in its first step
		for waiting := 0; waiting < 2; runtime.Gosched() {
			r.mu.Lock()
			waiting = len(r.calls)
			r.mu.Unlock()
		}
	}()
	say(t, r, ask(strings.Repeat("long ", 600), 3))
	if _, err := read(t, stream); err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	return steps
}

// smallestPrompt tells steps with a part of a prompt from those of streams alone.
const smallestPrompt = 2

func TestTurn_tooLongForTheContext(t *testing.T) {
	f := newFake()
	f.context = 100
	r := newRunner(t, f, Options{})
	_, err := r.Open(t.Context(), ask(strings.Repeat("x", 100), 1))
	var full *engine.ContextError
	if !errors.As(err, &full) || full.Prompt != 100 || full.Context != 100 {
		t.Errorf("%v", err)
	}
	a := say(t, r, ask(strings.Repeat("x", 90), 0))
	if a.finish.Reason != engine.Length || len(a.tokens) != 10 {
		t.Errorf("%d tokens, %s", len(a.tokens), a.finish.Reason)
	}
}

func TestTurn_badSamplingIsTheCallersError(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("x", 1)
	cold := float32(-1)
	turn.Sampling.Temperature = &cold
	if _, err := r.Open(t.Context(), turn); err == nil || !strings.Contains(err.Error(), "temperature") {
		t.Error(err)
	}
	turn = ask("x", 1)
	turn.Grammar = "root ::= ("
	if _, err := r.Open(t.Context(), turn); err == nil || !strings.Contains(err.Error(), "grammar") {
		t.Error(err)
	}
	turn = ask("", 1)
	if _, err := r.Open(t.Context(), turn); err == nil {
		t.Error("an empty prompt is accepted")
	}
}

func TestTurn_reportsProgressUsageAndTimes(t *testing.T) {
	r := newRunner(t, newFake(), Options{UBatchSize: 50})
	s := open(t, r, ask(strings.Repeat("x", 120), 2))
	last := engine.Progress{}
	for {
		u, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if u.Progress != nil {
			last = *u.Progress
		}
		if u.Finish == nil {
			continue
		}
		if diff := cmp.Diff(engine.Usage{Prompt: 120, Generated: 2}, u.Finish.Usage); diff != "" {
			t.Error(diff)
		}
		if u.Finish.Timing.Prompt <= 0 || u.Finish.Timing.Decode <= 0 {
			t.Errorf("times: %+v", u.Finish.Timing)
		}
		break
	}
	if diff := cmp.Diff(engine.Progress{Total: 120, Evaluated: 120}, last); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func TestTurn_logprobs(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("x", 3)
	turn.Logprobs = 2
	for _, token := range say(t, r, turn).tokens {
		if token.Logprob == 0 || len(token.Top) != 2 {
			t.Errorf("%+v", token)
		}
	}
}

func TestTurn_endsWithTheModelsEnd(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	turn := ask("x", 10)
	turn.Sampling.LogitBias = map[int32]float32{endToken: 1000}
	a := say(t, r, turn)
	if a.finish.Reason != engine.Stop || len(a.tokens) != 1 || a.tokens[0].Kind != engine.Symbol {
		t.Errorf("%+v", a)
	}
}

func TestClose_endsRunningAndWaitingTurns(t *testing.T) {
	r := New(newFake(), Options{Slots: 1})
	running := open(t, r, ask("running", 3000))
	waiting := open(t, r, ask("waiting", 1))
	_ = r.Close()
	if _, err := read(t, waiting); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
	if _, err := read(t, running); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
	if _, err := r.Open(t.Context(), ask("late", 1)); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
}

func TestEmbed(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	got, err := r.Embed(t.Context(), []engine.Prompt{engine.Plain("abc"), engine.Plain("")})
	want := []engine.Embedding{{Vector: []float32{3}, Tokens: 3}, {Vector: []float32{0}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
