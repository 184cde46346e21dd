package runner

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"tenon/engine"
)

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
// A prompt that is read in pieces is kept between them, too: this one is read at once.
func TestPrefix_placesToComeBackToAreLearnt(t *testing.T) {
	f := newFake()
	f.rewind = engine.RewindCheckpoints
	r := newRunner(t, f, Options{Slots: 1, UBatchSize: 512})
	prefix := strings.Repeat("p", 300)
	for i, want := range []int{0, 0, 300, 300} {
		a := say(t, r, ask(prefix+fmt.Sprint(i, " goes on alone"), 3))
		if a.finish.Usage.Cached != want {
			t.Errorf("turn %d takes %d tokens from the cache, not %d", i, a.finish.Usage.Cached, want)
		}
	}
}

// The system prompt is where two conversations part: the second need not have been seen to find
// it.
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

// A turn that shall be forgotten leaves nothing behind, neither in the model's memory nor in the
// host's, and others' stay. Its parts may still be shared while some of them run.
func TestForget_leavesNothingBehind(t *testing.T) {
	for _, rewind := range []engine.Rewind{engine.RewindAny, engine.RewindCheckpoints} {
		f := newFake()
		f.rewind = rewind
		r := newRunner(t, f, Options{Slots: 2})
		other := ask("somebody else's prompt, "+strings.Repeat("which is long enough to be copied, ", 20), 5)
		other.CacheKey = "other"
		say(t, r, other)
		before := r.Stats()
		private := ask(strings.Repeat("a private prompt that is long enough to be copied. ", 20), 5)
		private.CacheKey, private.Forget = "private", true
		first, second := open(t, r, private), open(t, r, private)
		for _, s := range []engine.Session{first, second} {
			if _, err := read(t, s); err != nil {
				t.Fatal(err)
			}
		}
		left := make(chan [2]int)
		r.post(func(l *loop) {
			l.moveOut()
			copied := l.store.Covered("private", tokensOf(t, r, private), 0)
			_, kept := l.cache.Match("private", tokensOf(t, r, private), func(int) int { return 0 })
			left <- [2]int{copied, kept}
		})
		if left := <-left; left != [2]int{} {
			t.Errorf("rewind %v: %d tokens are left in the host's memory, %d in the model's", rewind, left[0], left[1])
		}
		if again := say(t, r, other); again.finish.Usage.Cached == 0 {
			t.Errorf("rewind %v: of another key nothing is left, kept before: %+v", rewind, before)
		}
	}
}

func tokensOf(t *testing.T, r *Runner, turn engine.Turn) []int32 {
	ids, err := r.Tokens(t.Context(), turn.Prompt)
	if err != nil {
		t.Error(err)
	}
	return ids
}
