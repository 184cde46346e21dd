package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"tenon/engine"
)

var rewinds = map[string]engine.Rewind{
	"any": engine.RewindAny, "window": engine.RewindWindow, "checkpoints": engine.RewindCheckpoints,
}

// Issue 3: eight requests at once with 2,000 tokens in common, and then a ninth.
func TestPrefix_sharedByEightAndTheNinth(t *testing.T) {
	for name, rewind := range rewinds {
		for _, slots := range []int{8, 4} {
			t.Run(fmt.Sprint(name, " ", slots, " slots"), func(t *testing.T) {
				f := newFake()
				f.rewind, f.sequences = rewind, 32
				r := newRunner(t, f, Options{Slots: slots})
				prefix := strings.Repeat("0123456789", 200)
				own := 0
				var all sync.WaitGroup
				for i := range 8 {
					turn := ask(prefix+fmt.Sprintf("turn %d has its own end", i), 5)
					own += len("turn 0 has its own end") + 5
					all.Go(func() {
						if got := say(t, r, turn).text; got != alone(t, turn) {
							t.Errorf("turn %d said %q", i, got)
						}
					})
				}
				all.Wait()
				s := r.Stats()
				if limit := int64(2000 + own + 8*512); s.Evaluated > limit {
					t.Errorf("%d tokens evaluated, at most %d are right", s.Evaluated, limit)
				}
				if s.Cells > 2000+own+8*r.options.UBatchSize {
					t.Errorf("%d cells in use", s.Cells)
				}
				ninth := say(t, r, ask(prefix+"turn nine", 5))
				if ninth.finish.Usage.Cached < 2000 {
					t.Errorf("the ninth takes %d tokens from the cache", ninth.finish.Usage.Cached)
				}
			})
		}
	}
}

func TestPrefix_conversationEvaluatesOnlyWhatIsNew(t *testing.T) {
	for name, rewind := range rewinds {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.rewind = rewind
			r := newRunner(t, f, Options{Slots: 2})
			first := ask("system. user: hi.", 20)
			a := say(t, r, first)
			second := ask("", 20)
			second.Prompt = append(first.Prompt, keep(a.tokens), engine.Piece{Text: " user: go on.", Origin: engine.Content})
			before := r.Stats().Evaluated
			b := say(t, r, second)
			if got := r.Stats().Evaluated - before; got > 1+int64(len(" user: go on."))+20 {
				t.Errorf("%d tokens evaluated", got)
			}
			if b.text != alone(t, second) {
				t.Errorf("said %q", b.text)
			}
			if again := say(t, r, second); again.finish.Usage.Cached < b.finish.Usage.Prompt-1 {
				t.Errorf("the same prompt again finds %d of %d tokens", again.finish.Usage.Cached, b.finish.Usage.Prompt)
			}
		})
	}
}

func keep(tokens []engine.Token) engine.Piece {
	p := engine.Piece{Origin: engine.Kept}
	for _, token := range tokens {
		p.Tokens = append(p.Tokens, token.ID)
	}
	return p
}

// A state that cannot be cut is kept where two prompts were seen to part: the third one finds it.
func TestPrefix_placesToComeBackToAreLearnt(t *testing.T) {
	f := newFake()
	f.rewind = engine.RewindCheckpoints
	r := newRunner(t, f, Options{Slots: 1})
	prefix := strings.Repeat("p", 300)
	for i, want := range []int{0, 0, 300, 300} {
		a := say(t, r, ask(prefix+fmt.Sprint(i, " goes on alone"), 3))
		if a.finish.Usage.Cached != want {
			t.Errorf("turn %d takes %d tokens from the cache, not %d", i, a.finish.Usage.Cached, want)
		}
	}
}

// The system prompt is where two conversations part: the second need not have been seen to find it.
func TestPrefix_endOfTheSystemPromptIsKept(t *testing.T) {
	f := newFake()
	f.rewind = engine.RewindCheckpoints
	r := newRunner(t, f, Options{Slots: 1})
	for i, want := range []int{0, 1000} {
		turn := ask("", 3)
		turn.Prompt = engine.Prompt{{Text: strings.Repeat("s", 1000)}, {Text: "<end>", Origin: engine.Symbolic}, {Text: fmt.Sprint(i, " asks")}}
		if got := say(t, r, turn).finish.Usage.Cached; got != want {
			t.Errorf("turn %d takes %d tokens from the cache, not %d", i, got, want)
		}
	}
}

func TestPrefix_neverAcrossKeys(t *testing.T) {
	r := newRunner(t, newFake(), Options{})
	mine := ask("a secret that only one key knows", 3)
	mine.CacheKey = "mine"
	say(t, r, mine)
	yours := mine
	yours.CacheKey = "yours"
	if got := say(t, r, yours).finish.Usage.Cached; got != 0 {
		t.Errorf("another key finds %d tokens", got)
	}
	if got := say(t, r, mine).finish.Usage.Cached; got == 0 {
		t.Error("the key itself finds nothing")
	}
}

// Turns of all lengths on a memory that is too small for them, some of them given up half-way: whoever finishes says what
// it would have said alone.
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
			if r.Stats().Preempted == 0 {
				t.Error("the memory was never short: the test tests nothing")
			}
		})
	}
}

// Issue 3: 200 concurrent requests on 2 slots: all answered or refused, none lost.
func TestQueue_twoHundredTurnsOnTwoSlots(t *testing.T) {
	r := newRunner(t, newFake(), Options{Slots: 2, Queue: 50})
	var all sync.WaitGroup
	var mu sync.Mutex
	answered, busy := 0, 0
	for i := range 200 {
		all.Go(func() {
			s, err := r.Open(t.Context(), ask(fmt.Sprint("turn ", i), 10))
			mu.Lock()
			defer mu.Unlock()
			var full *engine.BusyError
			switch {
			case errors.As(err, &full) && full.RetryAfter >= time.Second:
				busy++
			case err != nil:
				t.Error(err)
			default:
				if a, err := read(t, s); err != nil || len(a.tokens) != 10 {
					t.Errorf("%v after %d tokens", err, len(a.tokens))
				}
				answered++
			}
		})
	}
	all.Wait()
	if answered+busy != 200 || answered < 52 {
		t.Errorf("%d answered, %d refused", answered, busy)
	}
}

// A turn that has ended frees its slot at once, not when its reader closes it.
func TestQueue_movesOnWhenATurnHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(newFake(), Options{Slots: 1})
		defer func() { _ = r.Close() }()
		first := open(t, r, ask("first", mailboxTokens+10)) // pauses until it is read, so that the others queue
		synctest.Wait()
		sessions := []engine.Session{first, open(t, r, ask("second", 3)), open(t, r, ask("third", 3))}
		synctest.Wait()
		begin := time.Now()
		for i, s := range sessions { // none is closed before all have ended
			for ended := false; !ended; {
				u, err := s.Next(t.Context())
				if err != nil {
					t.Fatalf("turn %d: %v", i, err)
				}
				ended = u.Finish != nil
			}
		}
		if waited := time.Since(begin); waited > 0 {
			t.Errorf("the queue stood still for %s", waited)
		}
	})
}

func TestQueue_waitHasALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(newFake(), Options{Slots: 1, QueueTimeout: time.Minute})
		defer func() { _ = r.Close() }()
		holder := open(t, r, ask("holds the slot", 3000)) // nobody reads it: it pauses
		begin := time.Now()
		_, err := read(t, open(t, r, ask("waits", 1)))
		if !errors.Is(err, engine.ErrQueueTimeout) || time.Since(begin) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		_ = holder.Close()
		say(t, r, ask("has room", 1))
	})
}

func TestQueue_secondLongTurnWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.cells, f.context = 1000, 1000
		r := New(f, Options{Slots: 4})
		defer func() { _ = r.Close() }()
		long := open(t, r, ask(strings.Repeat("a", 900), 2))
		second := open(t, r, ask(strings.Repeat("b", 900), 2))
		synctest.Wait()
		_, err := read(t, long)
		if err != nil {
			t.Fatal(err)
		}
		if a, err := read(t, second); err != nil || len(a.tokens) != 2 {
			t.Errorf("the second: %v %+v", err, a)
		}
	})
}

func TestCancel_freesTheSlotWithinOneToken(t *testing.T) {
	f := newFake()
	step := make(chan []Entry)
	f.step = func(batch []Entry) { step <- batch }
	r := New(f, Options{Slots: 1})
	s := open(t, r, ask("a long answer", 1000))
	<-step // the prompt
	<-step // one token
	_ = s.Close()
	next := ask("next", 1)
	opened := make(chan engine.Session)
	go func() {
		n, _ := r.Open(context.Background(), next)
		opened <- n
	}()
	for steps := 0; ; steps++ {
		if batch := <-step; len(batch) == len("next") {
			break
		}
		if steps > 1 {
			t.Fatal("the closed turn goes on")
		}
	}
	if a, err := read(t, <-opened); err != nil || len(a.tokens) != 1 {
		t.Errorf("%v %+v", err, a)
	}
	f.step = nil
	_ = r.Close()
}

func TestCancel_ofAWaitingTurn(t *testing.T) {
	r := newRunner(t, newFake(), Options{Slots: 1})
	holder := open(t, r, ask("holds the slot", 3000))
	waiting := open(t, r, ask("waits", 1))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := waiting.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_ = waiting.Close()
	_ = holder.Close()
	say(t, r, ask("has room", 1))
	if s := r.Stats(); s.Waiting != 0 {
		t.Errorf("%d turns wait", s.Waiting)
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

// A long prompt is evaluated in parts, and each step takes the running stream's token along.
func TestPrompt_longOneDoesNotStallAStream(t *testing.T) {
	f := newFake()
	arrived := make(chan struct{})
	var steps [][]Entry
	f.step = func(batch []Entry) {
		<-arrived
		steps = append(steps, append([]Entry(nil), batch...))
	}
	r := New(f, Options{Slots: 2, UBatchSize: 256})
	stream := open(t, r, ask("stream", 400))
	go func() {
		defer close(arrived)
		for waiting := 0; waiting == 0; runtime.Gosched() { // the loop is held in its first step
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
	prompts := 0
	for _, batch := range steps[1:] {
		if len(batch) < smallestPrompt {
			continue
		}
		prompts++
		if batch[0].Sequence == batch[len(batch)-1].Sequence {
			t.Errorf("a step of %d tokens leaves the stream out", len(batch))
		}
	}
	if prompts < 3000/256 {
		t.Errorf("the prompt took %d steps", prompts)
	}
}

// smallestPrompt tells steps with a part of a prompt from those of streams alone.
const smallestPrompt = 16

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
	turn.Grammar = grammarOf("root ::= (")
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
