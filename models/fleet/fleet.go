package fleet

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"tenon/engine"
	"tenon/engine/breaker"
	"tenon/models/catalog"
	"tenon/models/placement"
)

// Fleet is the models at hand and the instances of them that are loaded. Its methods may be
// called from any goroutine.
type Fleet struct {
	options  Options
	measured func(engine.Engine) (placement.Resident, error) // residentOf, but in tests
	// of loads: they go on when the request that began them is gone
	ctx     context.Context
	stop    context.CancelFunc
	running sync.WaitGroup // loads and ends

	// guards what follows; never held while a model loads or ends
	mu        sync.Mutex
	instances []*instance                 // in the order in which they were asked for
	failures  map[string]failure          // by key
	off       map[string]placement.Memory // measured less estimated, by file and GPU layers
	// what instances may take of the GPU's together, in bytes; 0: not known
	vram  int64
	pins  map[string]bool // by model, over what the catalogue says
	loads int64           // of all time
	// for the next look at what waits, and at times to live
	timer  *time.Timer
	closed bool
}

// failure is why a model's last load failed.
type failure struct {
	err     error
	at      time.Time
	crashes breaker.Breaker // loads in a row, up to this one, whose process ended
}

// New returns a fleet with nothing loaded.
func New(o Options) *Fleet {
	if o.Free == nil {
		o.Free = placement.Free
	}
	ctx, stop := context.WithCancel(context.Background())
	f := &Fleet{options: o, measured: residentOf, ctx: ctx, stop: stop, failures: map[string]failure{}, off: map[string]placement.Memory{}, pins: map[string]bool{}}
	f.timer = time.AfterFunc(time.Hour, f.look)
	return f
}

// look is the timer's: it sees what became due.
func (f *Fleet) look() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.schedule()
}

// Status tells of every model at hand.
func (f *Fleet) Status() []Status {
	entries := f.options.Catalog.All()
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]Status, len(entries))
	for i, e := range entries {
		all[i] = f.status(e)
	}
	return all
}

func (f *Fleet) status(e catalog.Entry) Status {
	s := Status{Entry: e, State: NotLoaded, Pinned: f.pinned(e)}
	failed, ok := f.failures[key(e)]
	if here := e; ok && e.Remote != nil { // it may be served from here instead
		here.Remote = nil
		if i := f.of(here, Settings{}); i != nil && i.engine != nil {
			s.State, s.Model = i.state, i.engine.Model()
			return s
		}
	}
	if ok {
		s.Err = failed.err
		_, s.Down = failed.crashes.Open(time.Now())
	}
	i := f.of(e, Settings{})
	if i == nil {
		return s
	}
	s.State, s.Progress, s.Err, s.Down = i.state, i.progress, nil, false
	if i.engine == nil {
		return s
	}
	s.Model = i.engine.Model()
	if e, ok := i.engine.(ender); ok {
		if err := e.Down(); err != nil {
			s.State, s.Err, s.Down = NotLoaded, err, true
		}
	}
	return s
}

// ender is an engine that may have ended too often to be started again now; Down then says why.
type ender interface {
	Down() error
}

// Instances tells of every instance, in the order in which they were asked for.
func (f *Fleet) Instances() []Instance {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := make([]Instance, len(f.instances))
	for i, one := range f.instances {
		f.measure(one)
		all[i] = f.tell(one)
	}
	return all
}

// Idle tells that a model of the name is there and not loaded.
func (f *Fleet) Idle(name string) bool {
	e, missing := f.options.Catalog.Resolve(name)
	f.mu.Lock()
	defer f.mu.Unlock()
	i, _ := f.find(e, missing, Request{Name: name}) // one that rests is there, too
	return (i != nil || missing == nil) && (i == nil || i.engine == nil)
}

// Stats counts what the loaded models have done, by instance. One that cannot say is left out.
func (f *Fleet) Stats(ctx context.Context) map[string]engine.Stats {
	f.mu.Lock()
	counting := map[string]engine.Reporter{}
	for _, i := range f.instances {
		if r, ok := i.engine.(engine.Reporter); ok {
			counting[i.id] = r
		}
	}
	f.mu.Unlock()
	all := map[string]engine.Stats{}
	for id, r := range counting {
		if s, err := r.Stats(ctx); err == nil {
			all[id] = s
		}
	}
	return all
}

// Close unloads everything and waits for its end. Running turns end with engine.ErrClosed.
func (f *Fleet) Close() error {
	f.mu.Lock()
	f.closed = true
	f.timer.Stop()
	for _, i := range slices.Clone(f.instances) {
		f.refuse(i, engine.ErrClosed)
		if i.state == Loaded {
			f.end(i)
		}
	}
	f.mu.Unlock()
	f.stop()
	f.running.Wait()
	return nil // what ends badly is logged
}

// named is the instance of a name.
func (f *Fleet) named(name string) *instance {
	for _, i := range f.instances {
		if strings.EqualFold(i.id, name) {
			return i
		}
	}
	return nil
}

// of is a model's instance: any of the settings are zero, the loaded ones first.
func (f *Fleet) of(e catalog.Entry, s Settings) *instance {
	var found *instance
	for _, i := range f.instances {
		if key(i.entry) != key(e) || s != (Settings{}) && i.settings != s {
			continue
		}
		if found == nil || found.engine == nil && i.engine != nil {
			found = i
		}
	}
	return found
}

// key tells models apart, and of one model what is loaded here from what other machines serve.
func key(e catalog.Entry) string {
	if e.Remote != nil {
		return e.ID + "\x00elsewhere"
	}
	return e.ID
}

func (f *Fleet) pinned(e catalog.Entry) bool {
	if p, ok := f.pins[e.ID]; ok {
		return p
	}
	return e.Pinned
}
