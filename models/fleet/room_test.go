package fleet

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
	"tenon/models/placement"
)

func TestRoom_theLongestIdleGoesAndNeverOneInUse(t *testing.T) {
	for _, o := range []Options{
		{Catalog: of("a", "b", "c"), Most: 2},
		{Catalog: of("a", "b", "c"), Estimate: megabytes(100, nil), Free: machine(250 << 20)},
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
	o := Options{Catalog: of("large", "a", "b", "c", "d", "small"), Start: start, Estimate: megabytes(100, map[string]int64{"large": 500, "small": 50}), Free: endless, Most: 4}
	run(t, o, func(t *testing.T, f *Fleet) {
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
			t.Errorf("d waited %s: %s", took, states(f))
		}
		time.Sleep(time.Hour)
	})
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
	o := Options{Catalog: of("a", "b"), Estimate: megabytes(80, nil), Free: machine(100 << 20), TTL: time.Minute}
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
	o := Options{Catalog: of("a", "unknown"), Estimate: estimate, Free: machine(room)}
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
		// the loaded one may go
		if again, err := f.Forecast("a", Settings{Context: 4096}); err != nil || !again.Fits {
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
		var missing *catalog.NotFoundError
		if _, err := f.Forecast("none", Settings{}); !errors.As(err, &missing) {
			t.Error(err)
		}
	})
}
