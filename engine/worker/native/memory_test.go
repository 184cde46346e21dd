//go:build cgo

package native

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"tenon/engine"
	"tenon/engine/worker"
)

// Issue 3: eight requests at once with a long beginning in common, and then a ninth.
func TestPrefix_isEvaluatedAndHeldOnce(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 4096, Slots: 8, UBatchSize: 256})
		prefix := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 60)
		shared, err := r.Tokens(t.Context(), engine.Plain(prefix))
		if err != nil {
			t.Fatal(err)
		}
		own := 0
		var all sync.WaitGroup
		for i := range 8 {
			turn := greedy(fmt.Sprintf("%sAnd then number %d said:", prefix, i), 4)
			own += len("And then number 0 said:") + 4
			all.Go(func() { say(t, r, turn) })
		}
		all.Wait()
		s := r.Stats()
		if limit := int64(len(shared) + own + 8*256); s.Evaluated > limit {
			t.Errorf("%d tokens evaluated; the beginning has %d", s.Evaluated, len(shared))
		}
		if s.Cells > len(shared)+own+8 {
			t.Errorf("%d cells for a beginning of %d", s.Cells, len(shared))
		}
		ninth := say(t, r, greedy(prefix+"And then number 9 said:", 4))
		// the last tokens may merge with what follows
		if ninth.finish.Usage.Cached < len(shared)-2 {
			t.Errorf("the ninth takes %d of %d tokens from the cache", ninth.finish.Usage.Cached, len(shared))
		}
	})
}

// Going back, resuming and sharing must not change what the model says.
func TestMemory_cachedTurnsSayTheSame(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 1024, Slots: 2})
		fresh := load(t, worker.Options{Model: path, Context: 1024, Slots: 1})
		first := greedy("Once upon a time there was a small model. ", 40)
		first.CacheKey = "a"
		a := say(t, r, first)
		second := greedy("", 30)
		second.Prompt = append(first.Prompt, engine.Piece{Origin: engine.Kept, Tokens: a.ids}, engine.Piece{Text: " And so on."})
		second.CacheKey = "a"
		b := say(t, r, second)
		if b.finish.Usage.Cached < a.finish.Usage.Prompt+len(a.ids)-1 {
			t.Errorf("%d tokens cached, of %d that were there", b.finish.Usage.Cached, a.finish.Usage.Prompt+len(a.ids))
		}
		if want := say(t, fresh, second); want.text != b.text {
			t.Errorf("from the cache: %q\nfresh: %q", b.text, want.text)
		}
		if again := say(t, r, first); again.text != a.text || again.finish.Usage.Cached != a.finish.Usage.Prompt-1 {
			t.Errorf("again: %q after %d cached\nfirst: %q", again.text, again.finish.Usage.Cached, a.text)
		}
	})
}

// What a finished turn leaves in the KV cache goes to host memory when others come, and back.
func TestMemory_movedTurnsSayTheSame(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 1024, Slots: 2})
		var first [3]answer
		turn := func(i int) engine.Turn {
			return greedy(fmt.Sprint("Once upon a time there was a small model, which had read ", i, " books about ", i, " lands. "), 30)
		}
		for i := range first {
			first[i] = say(t, r, turn(i))
		}
		for i, want := range first {
			got := say(t, r, turn(i))
			if got.text != want.text || got.finish.Usage.Cached != want.finish.Usage.Prompt-1 {
				t.Errorf("turn %d again: %q after %d of %d cached\nfirst: %q", i, got.text, got.finish.Usage.Cached, want.finish.Usage.Prompt, want.text)
			}
		}
		if cells, most := r.Stats().Cells, 1024/2; cells > most {
			t.Errorf("%d cells are in use", cells)
		}
	})
}

func TestCheck_goesBackAndSaysTheSame(t *testing.T) {
	eachKind(t, func(t *testing.T, path string) {
		r := load(t, worker.Options{Model: path, Context: 1024, Slots: 2})
		turn := greedy("A prompt that is long enough to be worth keeping. ", 200)
		turn.Grammar = `root ::= "call " args:( "{" [a-z]{20,30} "}" ) %check [0-9]{12}`
		s, err := r.Open(t.Context(), turn)
		if err != nil {
			t.Fatal(err)
		}
		first := toCheck(t, s)
		if err := s.Decide(t.Context(), engine.Verdict{Rewind: true, Offset: first.check.Offset}); err != nil {
			t.Fatal(err)
		}
		second := toCheck(t, s)
		if err := s.Decide(t.Context(), engine.Verdict{}); err != nil {
			t.Fatal(err)
		}
		rest := read(t, s)
		// Greedy sampling repeats itself wherever memory was restored rightly.
		if call := first.text[strings.Index(first.text, "{"):]; !strings.HasSuffix(second.text, call) {
			t.Errorf("first %q, again %q", call, second.text)
		}
		whole := say(t, load(t, worker.Options{Model: path, Context: 1024, Slots: 1}), withoutCheck(turn))
		if got := first.text + rest.text; got != whole.text {
			t.Errorf("with a rewind: %q\nwithout: %q", got, whole.text)
		}
	})
}

func withoutCheck(t engine.Turn) engine.Turn {
	t.Grammar = strings.Replace(t.Grammar, "%check ", "", 1)
	return t
}

type checked struct {
	answer
	check engine.Check
}

func toCheck(t *testing.T, s engine.Session) checked {
	t.Helper()
	var c checked
	for {
		u, err := s.Next(t.Context())
		if err != nil || u.Finish != nil {
			t.Fatalf("no check but %v %+v after %q", err, u.Finish, c.text)
		}
		for _, token := range u.Tokens {
			c.text += string(token.Bytes)
		}
		if u.Check != nil {
			c.check = *u.Check
			return c
		}
	}
}
