package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
)

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
		// pauses until it is read, so that the others queue
		first := open(t, r, ask("first", mailboxTokens+10))
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
	// the figures are told behind the step that ended the turn
	_ = r.ask(t.Context(), func(*loop) error { return nil })
	if s := r.Stats(); s.Waiting != 0 {
		t.Errorf("%d turns wait", s.Waiting)
	}
}
