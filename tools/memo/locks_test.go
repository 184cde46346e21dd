package memo

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestMemo_callsAtOnceComputeOneValue(t *testing.T) {
	m := New[int, int](10, 1000)
	var computed, started atomic.Int32
	const callers = 16
	var all sync.WaitGroup
	begun := make(chan struct{})
	for range callers {
		all.Go(func() {
			if started.Add(1) == callers {
				close(begun)
			}
			v, err := m.Get(1, 1, func() (int, error) {
				computed.Add(1)
				<-begun // all of them are on their way
				return 42, nil
			})
			if v != 42 || err != nil {
				t.Errorf("%d, %v", v, err)
			}
		})
	}
	all.Wait()
	if n := computed.Load(); n != 1 {
		t.Errorf("computed %d times", n)
	}
}

// A caller that panics leaves the others to compute for themselves.
func TestMemo_aPanicLeavesNobodyWaiting(t *testing.T) {
	m := New[string, int](10, 1000)
	boarded, waiting := make(chan struct{}), make(chan struct{})
	go func() {
		defer func() { _ = recover() }()
		_, _ = m.Get("a", 1, func() (int, error) {
			close(boarded)
			<-waiting
			panic("no")
		})
	}()
	<-boarded
	done := make(chan int)
	go func() {
		v, _ := m.Get("a", 1, func() (int, error) { return 7, nil })
		done <- v
	}()
	close(waiting)
	if v := <-done; v != 7 {
		t.Errorf("%d", v)
	}
}

func TestLocks_areForgotten(t *testing.T) {
	var l Locks[int]
	for key := range 3 {
		l.Lock(key)()
	}
	if len(l.of) != 0 {
		t.Errorf("%d locks are left", len(l.of))
	}
}
