package runner

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tenon/engine"
)

// machine is what a step takes in a test: base for the weights, each for a token, which grows to
// twice that behind so many others.
type machine struct {
	base, each time.Duration
	doubles    int
}

func (m machine) took(batch []Entry) time.Duration {
	sum := float64(m.base)
	for _, e := range batch {
		sum += float64(m.each) * (1 + float64(e.Position)/float64(m.doubles))
	}
	return time.Duration(sum)
}

const ms = time.Millisecond

// Issue 25: whatever prompt arrives beside a stream, however long, deep or shallow, the stream has
// its next token within the pause that is set.
func TestPause_noStreamWaitsLongerThanTheBound(t *testing.T) {
	for _, c := range []struct {
		name   string
		m      machine
		pause  time.Duration
		prompt int
	}{
		{"a small model", machine{10 * ms, 700 * time.Microsecond, 5000}, 200 * ms, 100_000},
		{"a large one", machine{110 * ms, 12 * ms, 20000}, 200 * ms, 3000},
		{"attention costs as much as it can", machine{10 * ms, ms, 1500}, 200 * ms, 10_000},
		{"a short pause", machine{10 * ms, 500 * time.Microsecond, 5000}, 60 * ms, 10_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake()
			f.cells, f.context = 1_000_000, 200_000
			var longest, waited time.Duration
			pieces, watched := 0, false
			var mail atomic.Pointer[mailbox] // the stream's
			r := New(f, Options{MaxPause: c.pause, NoDrafts: true, took: func(batch []Entry) time.Duration {
				// what its reader leaves is no pause of ours
				for m := mail.Load(); m != nil && unread(m) > 0; runtime.Gosched() {
				}
				took := c.m.took(batch)
				if waited += took; watched && batch[0].Sequence == 0 {
					longest, waited = max(longest, waited), 0
				}
				if !watched { // its prompt was read
					watched, waited = true, 0
				}
				if len(batch) > 1 {
					pieces++
				}
				return took
			}})
			stream := open(t, r, ask("stream", 100_000))
			mail.Store(stream.(*session).turn.mail)
			spoken := make(chan error, 1)
			begun := make(chan struct{})
			go func() {
				_, err := stream.Next(t.Context())
				for close(begun); err == nil; _, err = stream.Next(t.Context()) {
				}
				spoken <- err
			}()
			<-begun
			long := strings.Repeat("long ", c.prompt/5)
			for _, prompt := range []string{long, strings.Repeat("short ", 200), long + strings.Repeat(" and more", 50), "tiny"} {
				say(t, r, ask(prompt, 2))
			}
			_ = r.Close()
			if err := <-spoken; err == nil {
				t.Error("the stream had no end")
			}
			if longest > c.pause || pieces == 0 {
				t.Errorf("the stream waited %v in %d steps with prompts", longest, pieces)
			}
			if most := 3 * (c.prompt + 1200 + 450) / 20; pieces > most*8 {
				t.Errorf("the prompts took %d steps", pieces)
			}
		})
	}
}

func unread(m *mailbox) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.tokens)
}

// Issue 25: of 64 turns at once nobody starves. Each step brings all streams on, a prompt is read
// once those that are not longer have been, at half of the speed at least, and long ones go on
// meanwhile.
func TestPause_nobodyStarves(t *testing.T) {
	const turns, piece = 64, 64
	f := newFake()
	f.cells, f.context, f.sequences = 1_000_000, 50_000, turns+4
	prompt := func(i int) int { // of turn i, in tokens
		if i%8 == 0 {
			return 4000 + 100*i
		}
		return 20 + 37*i%500
	}
	type seen struct{ turn, first, last, tokens int }
	sequences := map[int]*seen{}
	arrived := make(chan struct{})
	steps := 0
	f.step = func([]Entry) { <-arrived }
	r := New(f, Options{Slots: turns, NoDrafts: true, took: func(batch []Entry) time.Duration {
		steps++
		for _, e := range batch {
			if e.Position == 0 {
				sequences[e.Sequence] = &seen{turn: int(e.Token) - 128}
			}
			if s := sequences[e.Sequence]; e.Logits {
				if s.tokens++; s.tokens == 1 {
					s.first = steps
				}
				s.last = steps
			}
		}
		return 10*ms + 190*ms*time.Duration(len(batch))/(piece+turns)
	}})
	var all sync.WaitGroup
	for i := range turns {
		request := ask(string([]byte{byte(128 + i)})+strings.Repeat(fmt.Sprint(i%10), prompt(i)-1), 10+i)
		begin := func() engine.Session { return open(t, r, request) }
		if i == 0 {
			s := begin() // the loop is held in its first step
			begin = func() engine.Session { return s }
		}
		all.Go(func() {
			if a, err := read(t, begin()); err != nil || a.finish.Usage.Generated != 10+i {
				t.Errorf("turn %d: %v, %+v", i, err, a.finish)
			}
		})
	}
	for waiting := 0; waiting < turns-1; runtime.Gosched() {
		r.mu.Lock()
		waiting = len(r.calls)
		r.mu.Unlock()
	}
	close(arrived)
	all.Wait()
	_ = r.Close()
	for _, s := range sequences {
		if s.last-s.first != s.tokens-1 {
			t.Errorf("turn %d says %d tokens in %d steps", s.turn, s.tokens, s.last-s.first+1)
		}
		before := 0
		for i := range turns {
			if prompt(i) <= prompt(s.turn) {
				before += prompt(i)
			}
		}
		if most := 2*before/(piece/2) + turns; s.first > most {
			t.Errorf("turn %d, of %d tokens, has its first after %d steps, %d at most", s.turn, prompt(s.turn), s.first, most)
		}
	}
	if len(sequences) != turns {
		t.Errorf("%d turns were seen", len(sequences))
	}
}
