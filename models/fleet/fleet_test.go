package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
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
		var missing *NotFoundError
		if _, err := f.Acquire(t.Context(), Request{Name: "z"}); !errors.As(err, &missing) || len(missing.Known) != 3 {
			t.Fatal(err)
		}
		if l := acquire(t, f, "Claude-Sonnet-4-5"); l.Entry.ID != "a" {
			t.Error(l.Entry)
		}
	})
}

func TestRoom_theLongestIdleGoesAndNeverOneInUse(t *testing.T) {
	for _, o := range []Options{
		{Catalog: of("a", "b", "c"), Most: 2},
		{Catalog: of("a", "b", "c"), Estimate: megabytes(100, nil), Free: endless, Memory: placement.Memory{RAM: 250 << 20}},
	} {
		run(t, o, func(t *testing.T, f *Fleet) {
			a, b := acquire(t, f, "a"), acquire(t, f, "b")
			short, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
			defer cancel()
			if _, err := f.Acquire(short, Request{Name: "c"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("both in use: %v", err)
			}
			b.Release()
			time.Sleep(time.Minute)
			acquire(t, f, "c")
			a.Release()
			if got := states(f); got != "a loaded, b not-loaded, c loaded" {
				t.Error(got)
			}
		})
	}
}

// A load measures what is free once the evicted model's process has ended, not before.
func TestRoom_waitsForTheEndOfWhatWasEvicted(t *testing.T) {
	free := placement.Memory{RAM: 100 << 20}
	ended := false
	start := func(_ context.Context, e catalog.Entry, _ Grant, _ func(float64)) (engine.Engine, error) {
		if e.ID == "b" && !ended {
			t.Error("b was loaded while a still ended")
		}
		free.RAM -= 80 << 20
		return closing{enginetest.Script(), func() {
			time.Sleep(3 * time.Second)
			free.RAM += 80 << 20
			ended = true
		}}, nil
	}
	o := Options{Catalog: of("a", "b"), Start: start, Estimate: megabytes(80, nil), Free: func() (placement.Memory, error) { return free, nil }}
	run(t, o, func(t *testing.T, f *Fleet) {
		f.measured = func(engine.Engine) (placement.Resident, error) {
			return placement.Resident{Total: 80 << 20, Anonymous: 80 << 20}, nil
		}
		acquire(t, f, "a").Release()
		acquire(t, f, "b").Release()
		if got := states(f); got != "a not-loaded, b loaded" {
			t.Error(got)
		}
	})
}

// A GPU's own memory is in the ledger: as it was found free, beside what instances hold of it as
// measured. What does not fit beside the others has them unloaded; what fits beside nothing is
// loaded without the GPU.
func TestRoom_ofAGPU(t *testing.T) {
	const mib = int64(1 << 20)
	const total = 1000 * mib // of the GPU
	var used atomic.Int64
	used.Store(100 * mib) // by other programs
	layers := map[string]string{}
	start := func(_ context.Context, e catalog.Entry, g Grant, _ func(float64)) (engine.Engine, error) {
		layers[e.ID] = g.GPULayers
		made := enginetest.Script()
		if g.GPULayers == "all" {
			made.Info.VRAM = 390 * mib // the estimates say 400
			used.Add(made.Info.VRAM)
			return closing{made, func() { used.Add(-made.Info.VRAM) }}, nil
		}
		return made, nil
	}
	estimate := func(e catalog.Entry, _ Settings) (Demand, error) {
		d := Demand{Wanted: 4096, Least: 4096, VRAM: total - used.Load()}
		without := d
		without.GPULayers, without.Need = "none", func(int) (placement.Need, error) { return placement.Need{Weights: mib}, nil }
		n := 400 * mib
		if e.ID == "large" {
			n = 2000 * mib
		}
		d.GPULayers, d.Need, d.Otherwise = "all", func(int) (placement.Need, error) { return placement.Need{VRAM: n}, nil }, &without
		return d, nil
	}
	run(t, Options{Catalog: of("a", "b", "c", "large"), Start: start, Estimate: estimate, Free: endless}, func(t *testing.T, f *Fleet) {
		acquire(t, f, "a").Release()
		acquire(t, f, "b").Release()
		if got := f.Instances(); len(got) != 2 || got[1].Need.VRAM != 390*mib {
			t.Errorf("both fit: %+v", got)
		}
		acquire(t, f, "large").Release()
		if got := states(f); layers["large"] != "none" || got != "a loaded, b loaded, c not-loaded, large loaded" {
			t.Errorf("what fits no GPU: %s, %q", got, layers)
		}
		used.Add(100 * mib) // another program has come
		acquire(t, f, "c").Release()
		if got := states(f); layers["c"] != "all" || got != "a not-loaded, b loaded, c loaded, large loaded" {
			t.Errorf("room is made: %s, %q", got, layers)
		}
	})
}

// closing is an engine whose end takes a while.
type closing struct {
	*enginetest.Scripted
	end func()
}

func (c closing) Close() error {
	c.end()
	return c.Scripted.Close()
}

// While a large model loads, another that waits has those put away that must go for it in any
// case, and is loaded where there is room beside the load.
func TestRoom_aLoadHoldsUpNoOther(t *testing.T) {
	start := func(ctx context.Context, e catalog.Entry, g Grant, p func(float64)) (engine.Engine, error) {
		if e.ID == "large" {
			time.Sleep(10 * time.Minute)
		}
		return scripted(ctx, e, g, p)
	}
	sizes := map[string]int64{"large": 500, "small": 50}
	for name, c := range map[string]Options{
		"memory": {Memory: placement.Memory{RAM: 850 << 20}}, "count": {Most: 4},
	} {
		c.Catalog, c.Start, c.Estimate, c.Free = of("large", "a", "b", "c", "d", "small"), start, megabytes(100, sizes), endless
		run(t, c, func(t *testing.T, f *Fleet) {
			for _, id := range []string{"a", "b", "c"} {
				acquire(t, f, id).Release()
				time.Sleep(time.Minute)
			}
			loading, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() { _, _ = f.Acquire(loading, Request{Name: "large"}) }()
			synctest.Wait()
			begin := time.Now()
			acquire(t, f, "d").Release()
			if took := time.Since(begin); took > time.Minute || !strings.HasPrefix(states(f), "large loading, a not-loaded, b loaded, c loaded, d loaded") {
				t.Errorf("%s: d waited %s: %s", name, took, states(f))
			}
			time.Sleep(time.Hour)
		})
	}
}

func TestRoom_whatCannotFitSaysWhatWould(t *testing.T) {
	per := func(e catalog.Entry, _ Settings) (Demand, error) {
		return Demand{Wanted: 8192, Least: 8192, Need: func(n int) (placement.Need, error) {
			return placement.Need{Weights: 50 << 20, Cache: int64(n) * 10 << 10}, nil
		}}, nil
	}
	o := Options{Catalog: of("a"), Estimate: per, Free: func() (placement.Memory, error) { return placement.Memory{RAM: 100 << 20}, nil }}
	run(t, o, func(t *testing.T, f *Fleet) {
		_, err := f.Acquire(t.Context(), Request{Name: "a"})
		var room *NoRoomError
		if !errors.As(err, &room) || room.Fits != 5120 || !strings.Contains(err.Error(), "a context of 5120 tokens would fit") {
			t.Errorf("%v", err)
		}
	})
}

func TestRoom_whatWasNotEstimatedIsNotSaidToFit(t *testing.T) {
	estimate := func(e catalog.Entry, _ Settings) (Demand, error) {
		return Demand{Wanted: 8192, Least: 8192, Need: placement.Estimate{{Context: 8192, Need: placement.Need{Weights: 50 << 20, Cache: 80 << 20}}}.Need}, nil
	}
	o := Options{Catalog: of("a"), Estimate: estimate, Free: func() (placement.Memory, error) { return placement.Memory{RAM: 100 << 20}, nil }}
	run(t, o, func(t *testing.T, f *Fleet) {
		_, err := f.Acquire(t.Context(), Request{Name: "a"})
		var room *NoRoomError
		if !errors.As(err, &room) || room.Fits != 0 {
			t.Errorf("%v", err)
		}
	})
}

func TestRoom_aPinnedModelStays(t *testing.T) {
	o := Options{Catalog: of("a", "b"), Estimate: megabytes(80, nil), Free: endless, Memory: placement.Memory{RAM: 100 << 20}, TTL: time.Minute}
	run(t, o, func(t *testing.T, f *Fleet) {
		if err := f.Pin("a", true); err != nil {
			t.Fatal(err)
		}
		acquire(t, f, "a").Release()
		time.Sleep(time.Hour)
		if _, err := f.Acquire(t.Context(), Request{Name: "b"}); err == nil || !strings.Contains(err.Error(), "pinned: a") {
			t.Error(err)
		}
		if err := f.Pin("a", false); err != nil {
			t.Fatal(err)
		}
		acquire(t, f, "b").Release()
		if got := states(f); got != "a not-loaded, b loaded" {
			t.Error(got)
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

func TestQueueTimeout_endsAWaitForRoom(t *testing.T) {
	run(t, Options{Catalog: of("a", "b"), Most: 1, QueueTimeout: time.Minute}, func(t *testing.T, f *Fleet) {
		a := acquire(t, f, "a")
		if _, err := f.Acquire(t.Context(), Request{Name: "b"}); !errors.Is(err, engine.ErrQueueTimeout) {
			t.Error(err)
		}
		acquire(t, f, "a").Release() // nobody waits any more, so it is open again
		a.Release()
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

// A forecast tells what a load would get, and changes nothing.
func TestForecast_loadsNothing(t *testing.T) {
	estimate := func(e catalog.Entry, s Settings) (Demand, error) {
		if e.ID == "unknown" {
			return Demand{}, errors.New("no figures")
		}
		per := func(context int) (placement.Need, error) {
			return placement.Need{Weights: 50 << 20, Cache: int64(context) << 10}, nil
		}
		if s.Context > 0 {
			return Demand{Wanted: s.Context, Least: s.Context, Need: per}, nil
		}
		return Demand{Wanted: 64 << 10, Least: 256, Need: per}, nil
	}
	const room = 100 << 20
	o := Options{Catalog: of("a", "unknown"), Estimate: estimate, Free: endless, Memory: placement.Memory{RAM: room}}
	run(t, o, func(t *testing.T, f *Fleet) {
		for want, s := range map[Forecast]Settings{
			{Context: 4096, Need: placement.Need{Weights: 50 << 20, Cache: 4 << 20}, Fits: true}:         {Context: 4096},
			{Context: 128 << 10, Need: placement.Need{Weights: 50 << 20, Cache: 128 << 20}, Fits: false}: {Context: 128 << 10},
		} {
			if got, err := f.Forecast("a", s); err != nil || got != want {
				t.Errorf("%+v: %+v %v, want %+v", s, got, err, want)
			}
		}
		got, err := f.Forecast("a", Settings{})
		if err != nil || !got.Fits || got.Context < 32<<10 || got.Need.Total() > room {
			t.Errorf("%+v %v", got, err)
		}
		if len(f.Instances()) != 0 {
			t.Error("it was loaded")
		}
		i, err := f.Load(t.Context(), Request{Name: "a"})
		if err != nil || i.Need.Cache != got.Need.Cache {
			t.Errorf("%+v %v, forecast %+v", i.Need, err, got)
		}
		if again, err := f.Forecast("a", Settings{Context: 4096}); err != nil || !again.Fits { // the loaded one may go
			t.Errorf("%+v %v", again, err)
		}
		if err := f.Pin("a", true); err != nil {
			t.Error(err)
		}
		if again, err := f.Forecast("a", Settings{Context: 30 << 10}); err != nil || again.Fits {
			t.Errorf("%+v %v", again, err)
		}
		if _, err := f.Forecast("unknown", Settings{}); !errors.Is(err, engine.ErrUnsupported) {
			t.Error(err)
		}
		var missing *NotFoundError
		if _, err := f.Forecast("none", Settings{}); !errors.As(err, &missing) {
			t.Error(err)
		}
	})
}
