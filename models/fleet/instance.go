package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/placement"
)

// instance is a model that is loaded, on its way to it or from it. The fleet's lock guards it, but
// for what attached holds.
type instance struct {
	id       string
	entry    catalog.Entry
	settings Settings
	state    State
	yields   bool // others have waited too long: it takes no more requests
	waiters  []*waiter
	users    int
	gone     bool               // the catalogue has its model no more
	goesOn   bool               // its load, though nobody waits for it
	cancel   context.CancelFunc // of its load
	progress float64
	load     int64 // its number among all loads
	demand   Demand
	grant    Grant
	need     placement.Need
	peak     placement.Resident // the most that was measured
	vram     int64              // of the GPU's memory, as measured; 0: not known
	ttl      time.Duration      // as requests said; 0: they did not
	begun    time.Time          // of the load
	loadedAt time.Time
	lastUsed time.Time
	engine   engine.Engine
	attached *attachment
	done     chan struct{} // closed when its process has ended; nil: nothing ends it
}

// offKey is what an estimate's error is remembered by.
func (i *instance) offKey() string { return i.entry.Path + "\n" + i.demand.GPULayers }

// since is when the first of those who wait came.
func (i *instance) since() time.Time { return i.waiters[0].since }

// drop takes a waiter away; false: it does not wait any more.
func (i *instance) drop(w *waiter) bool {
	at := slices.Index(i.waiters, w)
	if at < 0 {
		return false
	}
	i.waiters = slices.Delete(i.waiters, at, at+1)
	return true
}

// admit gives all who wait their lease.
func (i *instance) admit() {
	for _, w := range i.waiters {
		i.users++
		i.ttl = cmp.Or(w.request.TTL, i.ttl)
		w.lease = &Lease{ID: i.id, Entry: i.entry, Engine: i.engine, attached: i.attached, load: i.load}
		close(w.done)
	}
	i.waiters = nil
}

// residentOf measures an engine that runs in a process of its own. Of others nothing is known.
func residentOf(e engine.Engine) (placement.Resident, error) {
	p, ok := e.(interface{ PID() int })
	if !ok {
		return placement.Resident{}, nil
	}
	return placement.ResidentOf(p.PID())
}

// measure takes down what the instance's process takes of RAM.
func (f *Fleet) measure(i *instance) placement.Resident {
	now, err := f.measured(i.engine)
	if err != nil {
		return placement.Resident{} // it has just ended; a new one begins with nothing
	}
	if now.Total > i.peak.Total {
		i.peak = now
	}
	return now
}

// tell describes an instance.
func (f *Fleet) tell(i *instance) Instance {
	need := i.need
	need.VRAM = cmp.Or(i.vram, need.VRAM)
	out := Instance{
		ID: i.id, Reference: strconv.FormatInt(i.load, 10), Entry: i.entry, Settings: i.settings, State: i.state, Progress: i.progress,
		Need: need, Resident: i.peak.Total, Busy: i.users, Waiting: len(i.waiters), LoadedAt: i.loadedAt,
		LastUsed: i.lastUsed, TTL: f.ttl(i), Pinned: f.pinned(i.entry),
	}
	if i.engine != nil {
		out.Model, out.LoadTime = i.engine.Model(), i.loadedAt.Sub(i.begun)
	}
	if i.state == Loaded && i.users == 0 {
		out.Idle = time.Since(i.idleSince())
	}
	return out
}

func (i *instance) idleSince() time.Time {
	if i.lastUsed.After(i.loadedAt) {
		return i.lastUsed
	}
	return i.loadedAt
}

// ttl is an instance's time to live: the request's, else the model's, else the server's.
func (f *Fleet) ttl(i *instance) time.Duration {
	for _, d := range []time.Duration{i.ttl, i.entry.TTL, f.options.TTL} {
		if d != 0 {
			return d
		}
	}
	return Forever
}

// begin starts the load of an instance that has its room.
func (f *Fleet) begin(i *instance) {
	f.loads++
	i.state, i.progress, i.load, i.begun, i.goesOn, i.ttl = Loading, 0, f.loads, time.Now(), false, 0
	i.notify()
	failed := f.failures[key(i.entry)]
	wait := failed.crashes.Backoff()
	ctx, cancel := context.WithCancel(f.ctx)
	i.cancel = cancel
	f.running.Go(func() {
		defer cancel()
		made, err := f.start(ctx, wait, i)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.loaded(i, made, err)
		f.schedule()
	})
}

func (f *Fleet) start(ctx context.Context, wait time.Duration, i *instance) (engine.Engine, error) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
		return nil, engine.ErrClosed
	}
	return f.options.Start(ctx, i.entry, i.grant, func(share float64) {
		f.mu.Lock()
		defer f.mu.Unlock()
		i.progress = share
		i.notify()
	})
}

// notify has those who wait told how far the load is.
func (i *instance) notify() {
	for _, w := range i.waiters {
		select {
		case w.changed <- struct{}{}:
		default: // it has not yet seen the change before
		}
	}
}

// loaded takes the end of a load.
func (f *Fleet) loaded(i *instance, made engine.Engine, err error) {
	cancelled := i.state == Ending
	switch {
	case cancelled && err != nil:
		f.ended(i)
		return
	case err != nil:
		f.failed(i, err)
		return
	}
	delete(f.failures, key(i.entry))
	i.engine, i.state, i.progress, i.loadedAt, i.attached, i.peak = made, Loaded, 1, time.Now(), &attachment{}, placement.Resident{}
	i.vram = made.Model().VRAM
	f.measure(i)
	if f.closed || cancelled {
		f.end(i)
	}
}

// failed takes the end of a load that came to nothing. Nothing of it counts as loaded.
func (f *Fleet) failed(i *instance, err error) {
	failed := failure{err: err, at: time.Now()}
	if errors.Is(err, engine.ErrWorkerLost) {
		failed.crashes = f.failures[key(i.entry)].crashes
		failed.crashes.Failed(time.Now())
		if left, open := failed.crashes.Open(time.Now()); open {
			failed.err = fmt.Errorf("it ended %d times in a row and is not tried again for %s; the last time: %w",
				failed.crashes.Failures(), left.Round(time.Second), err)
		}
	}
	f.failures[key(i.entry)] = failed
	f.refuse(i, &LoadError{ID: i.id, Err: failed.err})
	f.remove(i)
}

// refuse tells all who wait that it was in vain.
func (f *Fleet) refuse(i *instance, err error) {
	for _, w := range i.waiters {
		w.err = err
		close(w.done)
	}
	i.waiters = nil
	if i.state == Waiting {
		f.remove(i)
	}
}

func (f *Fleet) remove(i *instance) {
	f.instances = slices.DeleteFunc(f.instances, func(x *instance) bool { return x == i })
}

// end unloads an instance, or cancels its load. Its memory counts as taken until its process has
// ended.
func (f *Fleet) end(i *instance) {
	was := i.state
	i.state, i.done = Ending, cmp.Or(i.done, make(chan struct{}))
	if was == Loading {
		i.cancel()
		return
	}
	f.measure(i)
	f.correct(i)
	ending := i.engine
	f.running.Go(func() {
		if err := ending.Close(); err != nil {
			slog.Warn("unload a model", "model", i.id, "error", err)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.ended(i)
		f.schedule()
	})
}

// ended takes the end of an instance's process. If somebody asked for it meanwhile it is loaded
// again.
func (f *Fleet) ended(i *instance) {
	close(i.done)
	i.engine, i.attached, i.peak, i.vram, i.users, i.done = nil, nil, placement.Resident{}, 0, 0, nil
	if i.state = Waiting; len(i.waiters) == 0 || f.closed {
		f.refuse(i, engine.ErrClosed)
		f.remove(i)
	}
}
