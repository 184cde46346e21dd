package fleet

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
	"tenon/engine/enginetest"
	"tenon/models/catalog"
)

func of(ids ...string) *catalog.Catalog {
	c := &catalog.Catalog{}
	for _, id := range ids {
		c.Entries = append(c.Entries, catalog.Entry{ID: id})
	}
	return c
}

func scripted(context.Context, catalog.Entry, func(float64)) (engine.Engine, error) {
	return enginetest.Script(), nil
}

func TestAcquire_loadsOnceForAll(t *testing.T) {
	var mu sync.Mutex
	loads := 0
	m := NewManager(of("a"), 0, func(ctx context.Context, e catalog.Entry, p func(float64)) (engine.Engine, error) {
		mu.Lock()
		defer mu.Unlock()
		loads++
		return scripted(ctx, e, p)
	})
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			_, _, release, err := m.Acquire(context.Background(), "A")
			if err != nil {
				t.Error(err)
				return
			}
			release()
		})
	}
	wg.Wait()
	if loads != 1 {
		t.Errorf("%d loads", loads)
	}
}

func TestAcquire_triesAgainAfterAFailure(t *testing.T) {
	fail := true
	m := NewManager(of("a"), 0, func(ctx context.Context, e catalog.Entry, p func(float64)) (engine.Engine, error) {
		if fail {
			return nil, errors.New("no memory")
		}
		return scripted(ctx, e, p)
	})
	var load *LoadError
	if _, _, _, err := m.Acquire(context.Background(), "a"); !errors.As(err, &load) {
		t.Fatal(err)
	}
	if s := m.Status()[0]; s.State != NotLoaded || s.Err == nil {
		t.Errorf("status %+v", s)
	}
	fail = false
	if _, _, _, err := m.Acquire(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
}

// A model whose process ends while it loads is not loaded once for each request: later and later, and then no more.
func TestAcquire_crashesInARowStopTheLoads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		starts, begin := 0, time.Now()
		m := NewManager(of("a"), 0, func(context.Context, catalog.Entry, func(float64)) (engine.Engine, error) {
			starts++
			return nil, fmt.Errorf("killed: %w", engine.ErrWorkerLost)
		})
		var err error
		for range mostCrashes + 2 {
			if _, _, _, err = m.Acquire(t.Context(), "a"); !errors.Is(err, engine.ErrWorkerLost) {
				t.Fatal(err)
			}
		}
		if took := time.Since(begin); starts != mostCrashes || took != 7*time.Second {
			t.Errorf("%d starts in %s, want %d in 7 s", starts, took, mostCrashes)
		}
		if !strings.Contains(err.Error(), "not loaded again") || !strings.Contains(err.Error(), "killed") {
			t.Errorf("%v does not say what to do and why", err)
		}
	})
}

func TestAcquire_unknownModelListsWhatThereIs(t *testing.T) {
	c := of("a", "b")
	if err := c.Alias("claude-sonnet-4-5", ""); err != nil {
		t.Fatal(err)
	}
	m := NewManager(c, 0, scripted)
	var missing *NotFoundError
	if _, _, _, err := m.Acquire(context.Background(), "z"); !errors.As(err, &missing) || len(missing.Known) != 3 {
		t.Fatal(err)
	}
	if e, _, _, err := m.Acquire(context.Background(), "Claude-Sonnet-4-5"); err != nil || e.ID != "a" {
		t.Fatal(e, err)
	}
}

func TestManager_evictsTheLongestIdleAndNeverOneInUse(t *testing.T) {
	m := NewManager(of("a", "b", "c"), 2, scripted)
	acquire := func(name string) (func(), error) {
		_, _, release, err := m.Acquire(context.Background(), name)
		return release, err
	}
	releaseA, err := acquire("a")
	if err != nil {
		t.Fatal(err)
	}
	releaseB, err := acquire("b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := acquire("c"); !errors.Is(err, engine.ErrBusy) {
		t.Fatalf("both in use: %v", err)
	}
	releaseB()
	if _, err := acquire("c"); err != nil {
		t.Fatal(err)
	}
	releaseA()
	states := map[string]State{}
	for _, s := range m.Status() {
		states[s.ID] = s.State
	}
	if states["a"] != Loaded || states["b"] != NotLoaded || states["c"] != Loaded {
		t.Errorf("states %v", states)
	}
}

func TestClose_endsEveryEngine(t *testing.T) {
	e := enginetest.Script()
	m := NewManager(of("a"), 0, func(context.Context, catalog.Entry, func(float64)) (engine.Engine, error) { return e, nil })
	if _, _, _, err := m.Acquire(context.Background(), "a"); err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(context.Background(), engine.Turn{}); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
	if _, _, _, err := m.Acquire(context.Background(), "a"); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
}
