package runner

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tenon/engine"
)

// beside runs a stream that somebody waits for until the test ends. Between two of its steps one
// piece at most comes back, and one goes out where no turn is preempted: pieces counts them.
func beside(t *testing.T, f *fakeModel, o Options, preempts bool) (r *Runner, pieces *[2]atomic.Int64) {
	t.Helper()
	var mail atomic.Pointer[mailbox]
	pieces = &[2]atomic.Int64{}
	f.step = func([]Entry) {
		if m := mail.Load(); m != nil {
			for unread(m) > mailboxTokens/4 { // nobody waits for more than that
				runtime.Gosched()
			}
			if !preempts && f.out > mostCopied || f.in > mostCopied {
				t.Errorf("a stream waits for %d tokens that go out and %d that come back", f.out, f.in)
			}
			for i, n := range []int{f.out, f.in} {
				if n > 0 {
					pieces[i].Add(1)
				}
			}
		}
		f.out, f.in = 0, 0
	}
	r = newRunner(t, f, o)
	// more than one piece of each is in host memory before the stream begins
	for _, name := range []string{"a", "b"} {
		say(t, r, long(name))
	}
	s := open(t, r, ask("stream", 1<<20))
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	var reader sync.WaitGroup
	reader.Go(func() {
		for {
			if _, err := s.Next(t.Context()); err != nil {
				return
			}
		}
	})
	// it may have run on unread, and paused
	for m := s.(*session).turn.mail; ; runtime.Gosched() {
		if unread(m) < mailboxTokens/4 {
			mail.Store(m)
			break
		}
	}
	t.Cleanup(func() {
		_ = r.Close()
		reader.Wait()
	})
	return r, pieces
}

// long is a conversation of four pieces.
func long(name string) engine.Turn {
	return ask(strings.Repeat("the same system prompt. ", 60)+strings.Repeat(name+" says more. ", 150), 5)
}

// wide is a fake with room for all of them and a stream.
func wide() *fakeModel {
	f := newFake()
	f.cells, f.context = 1<<20, 1<<19
	f.logits = func(s []fakeCell) []float32 {
		// of a long stream not all, or the test would take long
		if len(s) > 1 && s[0].token == 's' {
			s = s[:6]
		}
		return fakeLogits(s)
	}
	return f
}

// Issue 25: a stream does not wait until a whole conversation has gone to host memory or come
// back.
func TestPiece_aStreamWaitsForOneEachWay(t *testing.T) {
	r, pieces := beside(t, wide(), Options{NoDrafts: true}, false)
	for i, name := range []string{"a", "b", "c", "a", "c", "b"} {
		a := say(t, r, long(name))
		if u := a.finish.Usage; i != 2 && u.Cached != u.Prompt-1 {
			t.Errorf("turn %d finds %d of %d tokens", i, u.Cached, u.Prompt)
		}
		if want := alone(t, long(name)); a.text != want {
			t.Errorf("turn %d says %q, want %q", i, a.text, want)
		}
	}
	if in := pieces[1].Load(); in < 3 {
		t.Errorf("%d pieces came back", in)
	}
	for pieces[0].Load() < 2 { // the third conversation goes out while the stream goes on
		runtime.Gosched()
	}
}

// Turns come back piece by piece beside a stream, with what others bring back or evaluate, are
// given up, and lose their cells, at any time: whoever finishes says what it would have said
// alone.
func TestPiece_turnsThatAreGivenUpOnTheirWayBack(t *testing.T) {
	r, _ := beside(t, wide(), Options{Slots: 4, HostMemory: 20_000}, true)
	rng := rand.New(rand.NewPCG(1, 2))
	want := map[string]string{}
	for i := range 6 {
		want[fmt.Sprint(i)] = alone(t, long(fmt.Sprint(i)))
	}
	for range 40 {
		var some sync.WaitGroup
		for range 1 + rng.IntN(4) {
			name, wait, preempts := fmt.Sprint(rng.IntN(6)), rng.IntN(40)-10, rng.IntN(3) == 0
			some.Go(func() {
				s := open(t, r, long(name))
				for range wait {
					// a step each
					_ = r.ask(t.Context(), func(*loop) error { return nil })
				}
				if preempts {
					r.post(func(l *loop) { l.preempt() })
				}
				if wait >= 0 && wait%3 == 0 {
					_ = s.Close()
				} else if a, err := read(t, s); err != nil || a.text != want[name] {
					t.Errorf("%s: %v, said %q, want %q", name, err, a.text, want[name])
				}
			})
		}
		some.Wait()
	}
	if s := r.Stats(); s.Preempted == 0 || s.Cached == 0 {
		t.Errorf("nothing was tested: %+v", s)
	}
}
