package runner

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"tenon/engine"
)

// of is a turn of a caller's.
func of(caller, text string, limit int) engine.Turn {
	t := ask(text, limit)
	t.CacheKey = caller
	return t
}

// Issue 19: one caller cannot fill the queue. Who has less in it takes the place of the other's
// latest turn, and who has fewest turns in slots goes first.
func TestQueue_callersShareIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(newFake(), Options{Slots: 1, Queue: 8})
		defer func() { _ = r.Close() }()
		// nobody reads it: it pauses
		holder := open(t, r, of("greedy", "holds the slot", 3000))
		synctest.Wait()
		var greedy []engine.Session
		for i := range 8 {
			greedy = append(greedy, open(t, r, of("greedy\x00own", fmt.Sprint("more ", i), 1)))
		}
		if _, err := r.Open(t.Context(), of("greedy", "too much", 1)); !errors.Is(err, engine.ErrBusy) {
			t.Errorf("nine turns of one caller wait: %v", err)
		}
		var modest []engine.Session
		for i := range 3 {
			modest = append(modest, open(t, r, of("modest", fmt.Sprint("mine ", i), 3000)))
		}
		synctest.Wait()
		for i, s := range greedy[5:] {
			if _, err := s.Next(t.Context()); !errors.Is(err, engine.ErrBusy) {
				t.Errorf("turn %d stays: %v", 5+i, err)
			}
		}
		_ = holder.Close()
		// the slot is the modest one's, and is not read either: the greedy one's turns
		// came before it
		synctest.Wait()
		if u, err := modest[0].Next(t.Context()); err != nil || u.Finish != nil {
			t.Errorf("%+v %v", u, err)
		}
		for _, s := range append(modest, greedy...) {
			_ = s.Close()
		}
	})
}

// Two callers with half of the queue each do not take it from each other.
func TestQueue_equalSharesStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(newFake(), Options{Slots: 1, Queue: 4})
		defer func() { _ = r.Close() }()
		holder := open(t, r, of("x", "holds the slot", 3000))
		synctest.Wait()
		for i := range 4 {
			open(t, r, of([]string{"a", "b"}[i%2], fmt.Sprint("turn ", i), 1))
		}
		for _, caller := range []string{"a", "b"} {
			if _, err := r.Open(t.Context(), of(caller, "one more", 1)); !errors.Is(err, engine.ErrBusy) {
				t.Errorf("%s: %v", caller, err)
			}
		}
		_ = holder.Close()
	})
}
