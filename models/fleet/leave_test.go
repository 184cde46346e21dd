package fleet

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/models/catalog"
)

// patient is a Start whose loads take a minute, unless they are cancelled; their ends then take a
// second.
func patient(ctx context.Context, _ catalog.Entry, _ Grant, progress func(float64)) (engine.Engine, error) {
	progress(0.5)
	select {
	case <-time.After(time.Minute):
		return enginetest.Script(), nil
	case <-ctx.Done():
		time.Sleep(time.Second)
		return nil, ctx.Err()
	}
}

// leaving asks for a load as the request says, and leaves after a while.
func leaving(t *testing.T, after time.Duration, ask func(ctx context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	if err := ask(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("left with %v", err)
	}
}

func loads(f *Fleet, r Request) func(context.Context) error {
	return func(ctx context.Context) error { _, err := f.Load(ctx, r); return err }
}

func turns(f *Fleet, r Request) func(context.Context) error {
	return func(ctx context.Context) error { _, err := f.Acquire(ctx, r); return err }
}

// A load that was asked for as such ends with whoever asked.
func TestLeave_aLoadThatNobodyWaitsForIsCancelled(t *testing.T) {
	run(t, Options{Catalog: of("a"), Start: patient}, func(t *testing.T, f *Fleet) {
		leaving(t, 10*time.Second, loads(f, Request{Name: "a"}))
		synctest.Wait()
		if got := states(f); got != "a unloading" {
			t.Error(got)
		}
		time.Sleep(2 * time.Second)
		if got := f.Instances(); len(got) != 0 || f.Status()[0].Err != nil {
			t.Errorf("%+v, %v", got, f.Status()[0].Err)
		}
	})
}

// One that others wait for goes on, and keeps what those wish that got it.
func TestLeave_othersGetWhatTheyWaitFor(t *testing.T) {
	run(t, Options{Catalog: of("a"), Start: patient, TTL: 5 * time.Minute}, func(t *testing.T, f *Fleet) {
		for _, r := range []Request{{Name: "a"}, {Name: "a", TTL: time.Hour}} {
			go leaving(t, 10*time.Second, loads(f, r))
		}
		synctest.Wait()
		l := acquire(t, f, "a")
		if i := f.Instances(); f.Loads() != 1 || i[0].TTL != 5*time.Minute {
			t.Errorf("%d loads, %+v", f.Loads(), i)
		}
		l.Release()
	})
}

// A turn's load goes on, since the turn is tried again; what nobody asks for then goes in time,
// and makes room.
func TestLeave_aTurnsLoadGoesOnAndIsPutAwayInTime(t *testing.T) {
	run(t, Options{Catalog: of("a", "b"), Start: patient, Most: 1, TTL: 5 * time.Minute}, func(t *testing.T, f *Fleet) {
		for name, c := range map[string]struct {
			ask func(context.Context) error
			ttl time.Duration
		}{
			"a turn":                        {turns(f, Request{Name: "a"}), 5 * time.Minute},
			"a turn with a time of its own": {turns(f, Request{Name: "a", TTL: time.Hour}), time.Hour},
			"a load that a turn needs":      {loads(f, Request{Name: "a", TTL: time.Hour, OnDemand: true}), time.Hour},
			"a load that joins a turn's": {func(ctx context.Context) error {
				go leaving(t, 5*time.Second, turns(f, Request{Name: "a"}))
				synctest.Wait()
				return loads(f, Request{Name: "a"})(ctx)
			}, 5 * time.Minute},
		} {
			leaving(t, 10*time.Second, c.ask)
			time.Sleep(time.Minute)
			if i := f.Instances(); len(i) != 1 || i[0].State != Loaded || i[0].TTL != c.ttl {
				t.Errorf("%s: %+v", name, i)
			}
			time.Sleep(c.ttl)
			synctest.Wait()
			if got := f.Instances(); len(got) != 0 {
				t.Errorf("%s: %+v", name, got)
			}
		}
		leaving(t, 10*time.Second, turns(f, Request{Name: "a", TTL: Forever}))
		time.Sleep(time.Minute)
		acquire(t, f, "b").Release() // a makes room
	})
}

// Whoever comes while a cancelled load ends gets one of its own.
func TestLeave_whoComesWhileItEndsIsServed(t *testing.T) {
	run(t, Options{Catalog: of("a"), Start: patient}, func(t *testing.T, f *Fleet) {
		leaving(t, 10*time.Second, loads(f, Request{Name: "a"}))
		synctest.Wait()
		l := acquire(t, f, "a")
		defer l.Release()
		if i := f.Instances(); len(i) != 1 || f.Loads() != 2 || i[0].State != Loaded {
			t.Errorf("%d loads, %+v", f.Loads(), i)
		}
	})
}

// A cancelled load that had just succeeded is unloaded.
func TestLeave_aLoadThatWasDoneMeanwhileEnds(t *testing.T) {
	e := enginetest.Script()
	deaf := func(context.Context, catalog.Entry, Grant, func(float64)) (engine.Engine, error) {
		time.Sleep(time.Minute)
		return e, nil
	}
	run(t, Options{Catalog: of("a"), Start: deaf}, func(t *testing.T, f *Fleet) {
		leaving(t, 10*time.Second, loads(f, Request{Name: "a"}))
		if err := f.Unload(t.Context(), "a", false); err != nil || len(f.Instances()) != 0 {
			t.Errorf("%v, %+v", err, f.Instances())
		}
		if _, err := e.Open(t.Context(), engine.Turn{}); !errors.Is(err, engine.ErrClosed) {
			t.Error(err)
		}
	})
}

// What loads is unloaded, too: at once if nobody waits, by force otherwise.
func TestUnload_cancelsALoad(t *testing.T) {
	run(t, Options{Catalog: of("a"), Start: patient}, func(t *testing.T, f *Fleet) {
		leaving(t, 10*time.Second, turns(f, Request{Name: "a"}))
		if err := f.Unload(t.Context(), "a", false); err != nil || len(f.Instances()) != 0 {
			t.Errorf("%v, %+v", err, f.Instances())
		}
		said := make(chan error)
		go func() { said <- loads(f, Request{Name: "a"})(t.Context()) }()
		synctest.Wait()
		if err := f.Unload(t.Context(), "a", false); !errors.Is(err, engine.ErrBusy) {
			t.Error(err)
		}
		go func() { _ = f.Unload(t.Context(), "a", true) }()
		if err := <-said; !errors.Is(err, engine.ErrClosed) {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		if len(f.Instances()) != 0 {
			t.Errorf("%+v", f.Instances())
		}
	})
}
