// Package fleet loads models when they are asked for and keeps them.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tenon/engine"
	"tenon/models/catalog"
)

// NotFoundError: no model has the name.
type NotFoundError struct {
	Name  string
	Known []string // the names there are
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no model %q", e.Name) }

// LoadError: a model could not be loaded. The next Acquire tries again, unless the process that loads it has crashed too often.
type LoadError struct {
	ID  string
	Err error
}

func (e *LoadError) Error() string { return fmt.Sprintf("load model %s: %v", e.ID, e.Err) }
func (e *LoadError) Unwrap() error { return e.Err }

// Start makes an engine out of an entry; progress is told shares from 0 to 1.
type Start func(ctx context.Context, e catalog.Entry, progress func(float64)) (engine.Engine, error)

// State of a model.
type State string

const (
	NotLoaded State = "not-loaded"
	Loading   State = "loading"
	Loaded    State = "loaded"
)

// Status is a model and what it is doing.
type Status struct {
	catalog.Entry
	State    State
	Progress float64 // of loading, from 0 to 1
	Model    engine.Model
	Err      error // why the last load failed, or the engine ended
	Down     bool  // for good: no request starts it again
}

// ending is an engine that may end for good; Down then says why.
type ending interface {
	Down() error
}

// Manager loads models when they are asked for and keeps them.
//
// At most Most models are loaded at once; when another is wanted, the one that was idle longest goes. Its methods may be
// called from any goroutine.
type Manager struct {
	catalog *catalog.Catalog
	start   Start
	most    int

	mu     sync.Mutex // guards what follows; never held while a model loads
	slots  map[string]*slot
	clock  int64 // counts acquisitions; the least last use is the longest idle
	closed bool
	ctx    context.Context // of loads: they go on when the request that began them is gone
	stop   context.CancelFunc
}

// slot is a model that is loaded or loading.
type slot struct {
	ready    chan struct{} // closed when engine or err is set
	engine   engine.Engine
	err      error
	progress float64
	users    int
	lastUse  int64
	crashes  int // loads in a row, up to this one, whose process ended
}

// mostCrashes in a row stop the loads of a model. What ends a process, want of memory say, would only do so again.
const mostCrashes = 5

// backoff is the wait before a load: none after the first crash, then 1 s, 2 s, 4 s.
func backoff(crashes int) time.Duration {
	if crashes < 2 {
		return 0
	}
	return time.Second << (crashes - 2)
}

// NewManager manages the models of c. most is how many may be loaded at once; 0 means no limit.
func NewManager(c *catalog.Catalog, most int, start Start) *Manager {
	ctx, stop := context.WithCancel(context.Background())
	return &Manager{catalog: c, start: start, most: most, slots: map[string]*slot{}, ctx: ctx, stop: stop}
}

// Acquire returns a loaded model and what gives it back. It waits for the load; when ctx ends first, the load goes on.
// Errors are *NotFoundError, *LoadError, engine.ErrBusy (every loaded model is in use) or ctx's.
func (m *Manager) Acquire(ctx context.Context, name string) (catalog.Entry, engine.Engine, func(), error) {
	entry, ok := m.catalog.Find(name)
	if !ok {
		return catalog.Entry{}, nil, nil, &NotFoundError{Name: name, Known: m.catalog.Names()}
	}
	s, err := m.use(entry)
	if err != nil {
		return entry, nil, nil, err
	}
	release := sync.OnceFunc(func() { m.release(s) })
	select {
	case <-s.ready:
	case <-ctx.Done():
		release()
		return entry, nil, nil, ctx.Err()
	}
	if s.err != nil {
		release()
		return entry, nil, nil, &LoadError{ID: entry.ID, Err: s.err}
	}
	return entry, s.engine, release, nil
}

// Status lists every model.
func (m *Manager) Status() []Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := make([]Status, len(m.catalog.Entries))
	for i, e := range m.catalog.Entries {
		all[i] = Status{Entry: e, State: NotLoaded}
		if s := m.slots[e.ID]; s != nil {
			s.tell(&all[i])
		}
	}
	return all
}

// tell says in to how the slot's model is. The manager's lock is held.
func (s *slot) tell(to *Status) {
	switch {
	case s.err != nil:
		to.Progress, to.Err, to.Down = s.progress, s.err, s.crashes >= mostCrashes
	case s.engine == nil:
		to.State, to.Progress = Loading, s.progress
	default:
		to.State, to.Progress, to.Model = Loaded, 1, s.engine.Model()
		if e, ok := s.engine.(ending); ok {
			if err := e.Down(); err != nil {
				to.State, to.Err, to.Down = NotLoaded, err, true
			}
		}
	}
}

// Idle tells that a model of the name is there and not loaded.
func (m *Manager) Idle(name string) bool {
	entry, ok := m.catalog.Find(name)
	if !ok {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.slots[entry.ID]
	return s == nil || s.engine == nil
}

// Stats counts what the loaded models have done, by id. A model that cannot say is left out.
func (m *Manager) Stats(ctx context.Context) map[string]engine.Stats {
	m.mu.Lock()
	counting := map[string]engine.Reporter{}
	for id, s := range m.slots {
		if r, ok := s.engine.(engine.Reporter); ok {
			counting[id] = r
		}
	}
	m.mu.Unlock()
	all := map[string]engine.Stats{}
	for id, r := range counting {
		if s, err := r.Stats(ctx); err == nil {
			all[id] = s
		}
	}
	return all
}

// Unload ends a model that nobody uses; it is loaded again when it is next asked for.
func (m *Manager) Unload(name string) error {
	entry, ok := m.catalog.Find(name)
	if !ok {
		return &NotFoundError{Name: name, Known: m.catalog.Names()}
	}
	m.mu.Lock()
	s := m.slots[entry.ID]
	if s != nil && s.users > 0 {
		m.mu.Unlock()
		return fmt.Errorf("unload %s: %w", entry.ID, engine.ErrBusy)
	}
	delete(m.slots, entry.ID)
	m.mu.Unlock()
	return s.close()
}

// Close unloads everything. Running turns end with engine.ErrClosed.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	slots := m.slots
	m.slots = map[string]*slot{}
	m.mu.Unlock()
	m.stop()
	var errs []error
	for _, s := range slots {
		<-s.ready
		errs = append(errs, s.close())
	}
	return errors.Join(errs...)
}

// use finds or begins a load and counts the caller as a user.
func (m *Manager) use(e catalog.Entry) (*slot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, engine.ErrClosed
	}
	m.clock++
	s := m.slots[e.ID]
	crashes := 0
	if s != nil && s.failed() && s.crashes < mostCrashes {
		delete(m.slots, e.ID)
		s, crashes = nil, s.crashes
	}
	if s == nil {
		if err := m.makeRoom(); err != nil {
			return nil, err
		}
		s = &slot{ready: make(chan struct{}), crashes: crashes}
		m.slots[e.ID] = s
		go m.load(e, s)
	}
	s.users++
	s.lastUse = m.clock
	return s, nil
}

// makeRoom unloads the model that was idle longest, if another would be one too many.
func (m *Manager) makeRoom() error {
	if m.most == 0 || len(m.slots) < m.most {
		return nil
	}
	var oldest string
	for id, s := range m.slots {
		if s.users == 0 && (oldest == "" || s.lastUse < m.slots[oldest].lastUse) {
			oldest = id
		}
	}
	if oldest == "" {
		return fmt.Errorf("%d models are loaded and in use, and no more may be: %w", len(m.slots), engine.ErrBusy)
	}
	s := m.slots[oldest]
	delete(m.slots, oldest)
	go func() { _ = s.close() }() // nobody waits for it, and the next load can begin
	return nil
}

func (m *Manager) load(e catalog.Entry, s *slot) {
	made, err := m.startAfter(backoff(s.crashes), e, func(share float64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		s.progress = share
	})
	m.mu.Lock()
	if s.engine, s.err = made, err; errors.Is(err, engine.ErrWorkerLost) {
		if s.crashes++; s.crashes == mostCrashes {
			s.err = fmt.Errorf("it ended %d times in a row and is not loaded again until the server is started anew; the last time: %w", s.crashes, err)
		}
	}
	m.mu.Unlock()
	close(s.ready)
}

func (m *Manager) startAfter(wait time.Duration, e catalog.Entry, progress func(float64)) (engine.Engine, error) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return m.start(m.ctx, e, progress)
	case <-m.ctx.Done():
		return nil, engine.ErrClosed
	}
}

func (m *Manager) release(s *slot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.users--
}

// failed tells whether the load has ended in an error.
func (s *slot) failed() bool {
	select {
	case <-s.ready:
		return s.err != nil
	default:
		return false
	}
}

func (s *slot) close() error {
	if s == nil {
		return nil
	}
	<-s.ready
	if s.engine == nil {
		return nil
	}
	return s.engine.Close()
}
