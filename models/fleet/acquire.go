package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
)

// Lease is the right to use an instance until Release is called, which may be done more than once.
type Lease struct {
	ID      string // of the instance
	Entry   catalog.Entry
	Engine  engine.Engine
	Release func()

	attached *attachment
	load     int64
}

// attachment is what a user of an instance has prepared for it; it goes with the instance.
type attachment struct {
	mu        sync.Mutex
	value, of any
}

// NewLease is a lease of an engine that no fleet manages.
func NewLease(e catalog.Entry, with engine.Engine) *Lease {
	return &Lease{ID: e.ID, Entry: e, Engine: with, Release: func() {}, attached: &attachment{}}
}

// Prepared returns what make has made for this instance, the first time that it did so without an
// error. What it is made of is compared: where that is another, it is made anew.
func (l *Lease) Prepared(of any, make func() (any, error)) (any, error) {
	l.attached.mu.Lock()
	defer l.attached.mu.Unlock()
	if l.attached.value == nil || l.attached.of != of {
		made, err := make()
		if err != nil {
			return nil, err
		}
		l.attached.value, l.attached.of = made, of
	}
	return l.attached.value, nil
}

// waiter is a request that waits for an instance.
type waiter struct {
	request  Request
	since    time.Time
	patience time.Duration // longest wait for room; 0: no limit
	changed  chan struct{} // holds one: the progress is another
	done     chan struct{} // closed when err or lease is set
	lease    *Lease
	err      error
}

// Acquire returns a lease of the instance that a request means, loaded if it is not. When ctx
// ends first, a load that has begun goes on: whoever was not patient enough comes back, and would
// never get it otherwise. Errors are those of catalog.Resolve, *LoadError (of *NoRoomError, say),
// engine.ErrQueueTimeout, engine.ErrClosed or ctx's.
func (f *Fleet) Acquire(ctx context.Context, r Request) (*Lease, error) {
	r.OnDemand = true
	var l *Lease
	err := f.either(r, func(r Request) (err error) {
		if l, err = f.acquire(ctx, r); err == nil && r.fallback && !answers(ctx, l.Engine) {
			l.Release()
			err = &LoadError{ID: l.ID, Err: errors.New("no upstream answers")}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// answers tells whether an engine is there to take a turn. Most are once they are loaded.
func answers(ctx context.Context, e engine.Engine) bool {
	a, ok := e.(interface{ Answers(context.Context) bool })
	return !ok || a.Answers(ctx)
}

// failedLately is how long a model that other machines did not serve is not asked for there, where
// it can be loaded here.
const failedLately = 10 * time.Second

// either tries do with the remote model. If that cannot be loaded, now or a short while ago,
// and a local fallback is allowed, it tries the local one.
func (f *Fleet) either(r Request, do func(Request) error) error {
	e, err := f.options.Catalog.Resolve(r.Name)
	if err != nil || e.Remote == nil || !e.Remote.Fallback {
		return do(r)
	}
	if f.absent(e) {
		r.here = true
		return do(r)
	}
	r.fallback = true
	err = do(r)
	var failed *LoadError
	missing := errors.As(err, &failed)
	f.mu.Lock()
	switch {
	case missing:
		f.failures[key(e)] = failure{err: failed, at: time.Now(), crashes: f.failures[key(e)].crashes}
	case err == nil:
		delete(f.failures, key(e))
	}
	f.mu.Unlock()
	if !missing {
		return err
	}
	slog.Warn("no upstream answers: the model is served from here", "model", e.ID, "error", err)
	r.fallback, r.here = false, true
	return do(r)
}

// absent tells whether a model was not served elsewhere a short while ago.
func (f *Fleet) absent(e catalog.Entry) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	failed, ok := f.failures[key(e)]
	return ok && time.Since(failed.at) < failedLately
}

func (f *Fleet) acquire(ctx context.Context, r Request) (*Lease, error) {
	i, w, err := f.join(r)
	if err != nil {
		return nil, err
	}
	if err := f.wait(ctx, i, w); err != nil {
		return nil, err
	}
	w.lease.Release = sync.OnceFunc(func() { f.release(i, w.lease) })
	return w.lease, nil
}

// Load loads an instance, if none has the same settings, and returns once it answers. Without a
// time to live it stays until it is unloaded, or another needs the room. When ctx ends first, a
// load that nobody else waits for is cancelled, unless the request is one on demand.
func (f *Fleet) Load(ctx context.Context, r Request) (Instance, error) {
	if r.TTL == 0 && !r.OnDemand {
		r.TTL = Forever
	}
	var i *instance
	var w *waiter
	err := f.either(r, func(r Request) (err error) {
		if i, w, err = f.join(r); err == nil {
			err = f.wait(ctx, i, w)
		}
		return err
	})
	if err != nil {
		return Instance{}, err
	}
	f.release(i, w.lease) // it counts as a user no more
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.tell(i), nil
}

// join finds or makes the instance and has the request wait for it.
func (f *Fleet) join(r Request) (*instance, *waiter, error) {
	e, missing := f.options.Catalog.Resolve(r.Name)
	if r.here {
		e.Remote = nil
	}
	i, w, err := f.enter(e, missing, r, nil)
	if i == nil && err == nil { // it is new; the estimate takes a while
		d := f.demand(e, r.Settings)
		i, w, err = f.enter(e, missing, r, &d)
	}
	return i, w, err
}

// enter is join with the lock held. Without a demand it makes no instance.
func (f *Fleet) enter(e catalog.Entry, missing error, r Request, d *Demand) (*instance, *waiter, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, nil, engine.ErrClosed
	}
	i, err := f.find(e, missing, r)
	if err != nil || i == nil && d == nil {
		return nil, nil, err
	}
	if d != nil {
		f.budget(d.VRAM)
	}
	if i == nil {
		i = f.add(e, r, *d)
	}
	w := &waiter{request: r, since: time.Now(), patience: f.options.QueueTimeout, changed: make(chan struct{}, 1), done: make(chan struct{})}
	i.waiters = append(i.waiters, w)
	f.schedule()
	return i, w, nil
}

// find returns the instance that a request means, nil if there is none yet.
func (f *Fleet) find(e catalog.Entry, missing error, r Request) (*instance, error) {
	name := cmp.Or(r.ID, r.Name)
	if i := f.named(name); r.New && r.ID != "" && i != nil {
		return nil, &TakenError{r.ID}
	} else if !r.New && i != nil && (missing != nil && !i.gone || key(i.entry) == key(e)) && (r.Settings == Settings{} || r.Settings == i.settings) {
		return i, nil
	}
	if missing != nil {
		return nil, missing
	}
	if i := f.of(e, r.Settings); i != nil && r.ID == "" && !r.New {
		return i, nil
	}
	failed := f.failures[key(e)]
	if _, open := failed.crashes.Open(time.Now()); open {
		return nil, &LoadError{ID: e.ID, Err: failed.err}
	}
	return nil, nil
}

// add makes an instance that waits for room.
func (f *Fleet) add(e catalog.Entry, r Request, d Demand) *instance {
	id := r.ID
	if id == "" {
		id = e.ID
	}
	for base, n := id, 2; f.named(id) != nil; n++ {
		id = fmt.Sprintf("%s:%d", base, n)
	}
	i := &instance{id: id, entry: e, settings: r.Settings, state: Waiting, demand: d}
	f.instances = append(f.instances, i)
	return i
}

// wait waits until the waiter has become a user.
func (f *Fleet) wait(ctx context.Context, i *instance, w *waiter) error {
	var late <-chan time.Time
	if w.patience > 0 {
		t := time.NewTimer(w.patience)
		defer t.Stop()
		late = t.C
	}
	for {
		select {
		case <-w.done:
			return w.err
		case <-w.changed:
			f.report(i, w)
		case <-late:
			if !f.leave(i, w, true) {
				late = nil
				continue
			}
			return fmt.Errorf("%s waited %s for room: %w", i.id, w.patience, engine.ErrQueueTimeout)
		case <-ctx.Done():
			if !f.leave(i, w, false) && w.err == nil {
				f.release(i, w.lease)
			}
			return ctx.Err()
		}
	}
}

// report tells a waiter how far the load is.
func (f *Fleet) report(i *instance, w *waiter) {
	if w.request.Progress == nil {
		return
	}
	f.mu.Lock()
	p := Progress{State: i.state, Share: i.progress}
	f.mu.Unlock()
	if p.State == Loading || p.State == Waiting {
		w.request.Progress(p)
	}
}

// leave takes a waiter away, unless it has got what it waited for. A waiter that is late stays
// for a load that has begun.
func (f *Fleet) leave(i *instance, w *waiter, late bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if late && i.state == Loading || !i.drop(w) {
		return false
	}
	if i.state == Loading && w.request.OnDemand {
		i.goesOn, i.ttl = true, cmp.Or(w.request.TTL, i.ttl)
	}
	switch {
	case len(i.waiters) > 0:
	case i.state == Waiting:
		f.remove(i)
	case i.state == Loading && !i.goesOn:
		f.end(i)
	}
	f.schedule()
	return true
}

func (f *Fleet) release(i *instance, l *Lease) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i.load != l.load || i.users == 0 {
		return // it was unloaded meanwhile
	}
	i.users--
	i.lastUsed = time.Now()
	f.schedule()
}
