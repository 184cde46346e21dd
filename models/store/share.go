package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// flight is a pull that any number of callers wait for.
type flight struct {
	cancel context.CancelFunc
	done   chan struct{} // closed when path and err are set
	path   string
	err    error

	mu      sync.Mutex // guards what follows
	waiting map[*func(Progress)]bool
	last    Progress
}

// share joins the pull of a reference that runs, or begins one. The work ends when the last that
// waits has gone.
func (s *Store) share(ctx context.Context, ref Ref, progress func(Progress)) (string, error) {
	f := s.join(ref, &progress)
	defer s.leave(ref, f, &progress)
	select {
	case <-f.done:
		return f.path, f.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (s *Store) join(ref Ref, progress *func(Progress)) *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flights == nil {
		s.flights = map[string]*flight{}
	}
	f := s.flights[ref.String()]
	if f == nil {
		ctx, cancel := context.WithCancel(context.Background())
		f = &flight{cancel: cancel, done: make(chan struct{}), waiting: map[*func(Progress)]bool{}}
		s.flights[ref.String()] = f
		go func() {
			f.path, f.err = s.bringAll(ctx, ref, f.report)
			close(f.done)
		}()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting[progress] = true
	if *progress != nil && f.last.File != "" {
		(*progress)(f.last)
	}
	return f
}

// leave ends the work where nobody waits any more, and returns once it has let go of its files.
func (s *Store) leave(ref Ref, f *flight, progress *func(Progress)) {
	s.mu.Lock()
	f.mu.Lock()
	delete(f.waiting, progress)
	last := len(f.waiting) == 0
	f.mu.Unlock()
	if last && s.flights[ref.String()] == f {
		delete(s.flights, ref.String())
	}
	s.mu.Unlock()
	if last {
		f.cancel()
		<-f.done
	}
}

func (f *flight) report(p Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = p
	for progress := range f.waiting {
		if *progress != nil {
			(*progress)(p)
		}
	}
}

// lockPause is how long to wait between tries.
const lockPause = 100 * time.Millisecond

// lock keeps other processes from writing the same files; it ends with this process at the latest.
// Where a file system has no locks, the folder is not locked.
func (s *Store) lock(ctx context.Context, ref Ref) (unlock func(), err error) {
	dir := s.folder(ref)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("make the model folder: %w", err)
	}
	l := flock.New(filepath.Join(dir, ".lock"))
	if _, err := l.TryLockContext(ctx, lockPause); errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("lock the model folder: %w", err)
	}
	if err := context.Cause(ctx); err != nil {
		_ = l.Close() // it may have been taken just now
		return nil, err
	}
	return func() { _ = l.Close() }, nil
}
