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
	"tenon/engine/breaker"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/placement"
)

func of(ids ...string) *catalog.Catalog {
	c := &catalog.Catalog{}
	for _, id := range ids {
		c.Entries = append(c.Entries, catalog.Entry{ID: id})
	}
	return c
}

func scripted(context.Context, catalog.Entry, Grant, func(float64)) (engine.Engine, error) {
	return enginetest.Script(), nil
}

// run runs a test in virtual time on a fleet that is closed at its end.
func run(t *testing.T, o Options, test func(t *testing.T, f *Fleet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		if o.Start == nil {
			o.Start = scripted
		}
		f := New(o)
		test(t, f)
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
}

// slow is a Start that takes a while and counts.
func slow(took time.Duration, count func(id string)) Start {
	return func(ctx context.Context, e catalog.Entry, _ Grant, progress func(float64)) (engine.Engine, error) {
		count(e.ID)
		for _, share := range []float64{0.25, 0.5, 0.75} {
			progress(share)
			time.Sleep(took / 3)
		}
		return enginetest.Script(), ctx.Err()
	}
}

// megabytes is an estimate: each model takes so many, whatever its context, but what is named
// otherwise.
func megabytes(each int64, other map[string]int64) func(catalog.Entry, Settings) (Demand, error) {
	return func(e catalog.Entry, _ Settings) (Demand, error) {
		n, ok := other[e.ID]
		if !ok {
			n = each
		}
		return Demand{Wanted: 4096, Least: 4096, Need: func(int) (placement.Need, error) { return placement.Need{Weights: n << 20}, nil }}, nil
	}
}

// Loads counts the loads that were begun.
func (f *Fleet) Loads() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loads
}

// machine has so much RAM. The fake engines of these tests take none of it.
func machine(ram int64) func() (placement.Memory, error) {
	return func() (placement.Memory, error) { return placement.Memory{RAM: ram, VRAM: 1 << 50}, nil }
}

func endless() (placement.Memory, error) { return placement.Memory{RAM: 1 << 50, VRAM: 1 << 50}, nil }

func acquire(t *testing.T, f *Fleet, name string) *Lease {
	t.Helper()
	l, err := f.Acquire(t.Context(), Request{Name: name})
	if err != nil {
		t.Fatalf("acquire %s: %v", name, err)
	}
	return l
}

func states(f *Fleet) string {
	var all []string
	for _, s := range f.Status() {
		all = append(all, s.ID+" "+string(s.State))
	}
	return strings.Join(all, ", ")
}

func TestAcquire_loadsOnceForAll(t *testing.T) {
	loads := 0
	run(t, Options{Catalog: of("a"), Start: slow(3*time.Second, func(string) { loads++ })}, func(t *testing.T, f *Fleet) {
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() { acquire(t, f, "A").Release() })
		}
		wg.Wait()
		if loads != 1 {
			t.Errorf("%d loads", loads)
		}
	})
}

func TestAcquire_otherSettingsAreAnotherInstance(t *testing.T) {
	run(t, Options{Catalog: of("a")}, func(t *testing.T, f *Fleet) {
		acquire(t, f, "a").Release()
		for range 2 {
			i, err := f.Load(t.Context(), Request{Name: "a", Settings: Settings{Context: 512}})
			if err != nil || i.ID != "a:2" || i.Settings.Context != 512 {
				t.Fatalf("%+v, %v", i, err)
			}
		}
		if i, err := f.Load(t.Context(), Request{Name: "a", ID: "mine"}); err != nil || i.ID != "mine" || i.TTL != Forever {
			t.Fatalf("%+v, %v", i, err)
		}
		if l := acquire(t, f, "MINE"); l.ID != "mine" || l.Entry.ID != "a" {
			t.Errorf("%+v", l)
		}
	})
}

func TestAcquire_progressReachesWhoeverWaits(t *testing.T) {
	run(t, Options{Catalog: of("a"), Start: slow(3*time.Second, func(string) {})}, func(t *testing.T, f *Fleet) {
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				var seen []float64
				l, err := f.Acquire(t.Context(), Request{Name: "a", Progress: func(p Progress) { seen = append(seen, p.Share) }})
				if err != nil || len(seen) < 2 || seen[len(seen)-1] != 0.75 {
					t.Errorf("%v, %v", seen, err)
					return
				}
				l.Release()
			})
		}
		wg.Wait()
	})
}

func TestAcquire_triesAgainAfterAFailure(t *testing.T) {
	fail := true
	start := func(ctx context.Context, e catalog.Entry, g Grant, p func(float64)) (engine.Engine, error) {
		if fail {
			return nil, errors.New("no memory")
		}
		return scripted(ctx, e, g, p)
	}
	run(t, Options{Catalog: of("a", "b"), Most: 1, Start: start}, func(t *testing.T, f *Fleet) {
		var load *LoadError
		if _, err := f.Acquire(t.Context(), Request{Name: "a"}); !errors.As(err, &load) {
			t.Fatal(err)
		}
		if s := f.Status()[0]; s.State != NotLoaded || s.Err == nil {
			t.Errorf("status %+v", s)
		}
		fail = false
		acquire(t, f, "b").Release() // what failed takes no place
		acquire(t, f, "a").Release()
		if s := f.Status()[0]; s.State != Loaded || s.Err != nil {
			t.Errorf("status %+v", s)
		}
	})
}

// A model whose process ends while it loads is not loaded once for each request: later and later,
// and then no more.
func TestAcquire_crashesInARowStopTheLoadsForAWhile(t *testing.T) {
	starts := 0
	start := func(context.Context, catalog.Entry, Grant, func(float64)) (engine.Engine, error) {
		starts++
		return nil, fmt.Errorf("killed: %w", engine.ErrWorkerLost)
	}
	run(t, Options{Catalog: of("a"), Start: start}, func(t *testing.T, f *Fleet) {
		begin := time.Now()
		var err error
		for range breaker.Most + 2 {
			if _, err = f.Acquire(t.Context(), Request{Name: "a"}); !errors.Is(err, engine.ErrWorkerLost) {
				t.Fatal(err)
			}
		}
		if took := time.Since(begin); starts != breaker.Most || took != 7*time.Second {
			t.Errorf("%d starts in %s, want %d in 7 s", starts, took, breaker.Most)
		}
		if !strings.Contains(err.Error(), "not tried again") || !strings.Contains(err.Error(), "killed") {
			t.Errorf("%v does not say what to do and why", err)
		}
		if !f.Status()[0].Down {
			t.Error("not down while it rests")
		}
		time.Sleep(time.Minute)
		for range 3 {
			_, err = f.Acquire(t.Context(), Request{Name: "a"})
		}
		if starts != breaker.Most+1 || err == nil {
			t.Errorf("%d starts after a rest, %v; want one more", starts, err)
		}
	})
}

func TestAcquire_unknownModelListsWhatThereIs(t *testing.T) {
	c := of("a", "b")
	if err := c.Alias("claude-sonnet-4-5", ""); err != nil {
		t.Fatal(err)
	}
	run(t, Options{Catalog: c}, func(t *testing.T, f *Fleet) {
		var missing *catalog.NotFoundError
		if _, err := f.Acquire(t.Context(), Request{Name: "z"}); !errors.As(err, &missing) || len(missing.Known) != 3 {
			t.Fatal(err)
		}
		if l := acquire(t, f, "Claude-Sonnet-4-5"); l.Entry.ID != "a" {
			t.Error(l.Entry)
		}
	})
}

func TestTTL_theRequestsThenTheModelsThenTheServers(t *testing.T) {
	c := of("server", "model", "request", "never")
	c.Entries[1].TTL, c.Entries[2].TTL = 2*time.Minute, 2*time.Minute
	run(t, Options{Catalog: c, TTL: 3 * time.Minute}, func(t *testing.T, f *Fleet) {
		for _, r := range []Request{{Name: "server"}, {Name: "model"}, {Name: "request", TTL: time.Minute}, {Name: "never", TTL: Forever}} {
			l, err := f.Acquire(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(10*time.Second, l.Release)
		}
		time.Sleep(11 * time.Second)
		for _, want := range []string{
			"server loaded, model loaded, request not-loaded, never loaded",
			"server loaded, model not-loaded, request not-loaded, never loaded",
			"server not-loaded, model not-loaded, request not-loaded, never loaded",
		} {
			time.Sleep(time.Minute)
			synctest.Wait()
			if got := states(f); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		}
	})
}

func TestUnload_neverWhatIsBusyUnlessForced(t *testing.T) {
	run(t, Options{Catalog: of("a")}, func(t *testing.T, f *Fleet) {
		l := acquire(t, f, "a")
		if err := f.Unload(t.Context(), "a", false); !errors.Is(err, engine.ErrBusy) {
			t.Error(err)
		}
		if err := f.Unload(t.Context(), "a", true); err != nil {
			t.Error(err)
		}
		if _, err := l.Engine.Open(t.Context(), engine.Turn{}); !errors.Is(err, engine.ErrClosed) {
			t.Error(err)
		}
		again := acquire(t, f, "a")
		l.Release() // of another life
		if i := f.Instances()[0]; i.Busy != 1 {
			t.Errorf("%+v", i)
		}
		again.Release()
		if err := f.Unload(t.Context(), "a", false); err != nil || len(f.Instances()) != 0 {
			t.Error(err, f.Instances())
		}
	})
}

func TestLease_whatIsPreparedGoesWithTheInstance(t *testing.T) {
	run(t, Options{Catalog: of("a")}, func(t *testing.T, f *Fleet) {
		made := 0
		prepare := func() {
			l := acquire(t, f, "a")
			defer l.Release()
			if _, err := l.Prepared(nil, func() (any, error) { made++; return made, nil }); err != nil {
				t.Fatal(err)
			}
		}
		prepare()
		prepare()
		if made != 1 {
			t.Errorf("made %d times", made)
		}
		if err := f.Unload(t.Context(), "a", false); err != nil {
			t.Fatal(err)
		}
		if prepare(); made != 2 {
			t.Errorf("made %d times", made)
		}
	})
}

func TestClose_endsEveryEngine(t *testing.T) {
	e := enginetest.Script()
	f := New(Options{Catalog: of("a"), Start: func(context.Context, catalog.Entry, Grant, func(float64)) (engine.Engine, error) { return e, nil }})
	acquire(t, f, "a")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Open(context.Background(), engine.Turn{}); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
	if _, err := f.Acquire(context.Background(), Request{Name: "a"}); !errors.Is(err, engine.ErrClosed) {
		t.Error(err)
	}
}
