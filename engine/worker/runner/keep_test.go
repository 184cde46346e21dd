package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"tenon/engine"
)

// keeps are options under which one runner finds what the one before it has left.
func keeps(dir string) Options {
	return Options{HostMemory: 8192, Disk: Disk{Path: dir, Bytes: 1 << 20, Fingerprint: "fake"}}
}

// small is a fake whose cells hold two conversations.
func small(rewind engine.Rewind) *fakeModel {
	f := newFake()
	f.cells, f.context, f.rewind = 900, 900, rewind
	return f
}

func under(key string, turn engine.Turn) engine.Turn {
	turn.CacheKey = key
	return turn
}

func kept(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "of-*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestKeep_aRestartKeepsAllConversations(t *testing.T) {
	for _, rewind := range []engine.Rewind{engine.RewindAny, engine.RewindCheckpoints, engine.RewindWindow} {
		t.Run(fmt.Sprint(rewind), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				before := New(small(rewind), keeps(dir))
				for i := range 12 {
					say(t, before, under("a", conversation(i)))
					// what makes way in host memory has been written
					synctest.Wait()
				}
				_ = before.Close()
			})
			after := newRunner(t, small(rewind), keeps(dir))
			for i := range 12 {
				a := say(t, after, under("a", conversation(i)))
				if u := a.finish.Usage; u.Cached != u.Prompt-1 {
					t.Errorf("conversation %d finds %d of %d tokens", i, u.Cached, u.Prompt)
				}
				if want := alone(t, conversation(i)); a.text != want {
					t.Errorf("conversation %d says %q, want %q", i, a.text, want)
				}
			}
			if a := say(t, after, under("b", conversation(1))); a.finish.Usage.Cached != 0 {
				t.Errorf("another key finds %d tokens", a.finish.Usage.Cached)
			}
		})
	}
}

// What is given up in host memory has been written before, beside the turns.
func TestKeep_whatHostMemoryGivesUpIsOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		r := New(small(engine.RewindAny), keeps(dir))
		for i := range 30 {
			say(t, r, conversation(i))
			synctest.Wait()
		}
		if r.Stats().Written == 0 {
			t.Error("nothing was written while turns came")
		}
		fetched := r.Stats().Fetched
		if a := say(t, r, conversation(0)); a.finish.Usage.Cached != a.finish.Usage.Prompt-1 || r.Stats().Fetched == fetched {
			t.Errorf("the oldest conversation finds %d of %d tokens, %d of them on disk", a.finish.Usage.Cached, a.finish.Usage.Prompt, r.Stats().Fetched-fetched)
		}
		_ = r.Close()
	})
}

// A disk that hangs stops nobody, and what is being written is not given up meanwhile.
func TestKeep_turnsGoOnWhileACopyIsWritten(t *testing.T) {
	dir, f := t.TempDir(), small(engine.RewindAny)
	f.writing = make(chan struct{})
	r := New(f, keeps(dir))
	for i := range 40 {
		if a := say(t, r, conversation(i)); a.text != alone(t, conversation(i)) {
			t.Errorf("conversation %d says %q", i, a.text)
		}
	}
	if files := kept(t, dir); len(files) > 1 || r.Stats().Written > 0 {
		t.Errorf("files %q, %d bytes written: one was to be on its way", files, r.Stats().Written)
	}
	f.writing <- struct{}{} // it was
	close(f.writing)
	_ = r.Close()
	for _, name := range kept(t, dir) {
		if filepath.Ext(name) != ".kv" {
			t.Errorf("%s was not finished", name)
		}
	}
}

func TestKeep_theBudgetHolds(t *testing.T) {
	dir, o := t.TempDir(), keeps(t.TempDir())
	o.Disk.Path, o.Disk.Bytes = dir, 20_000
	for range 3 {
		r := New(small(engine.RewindAny), o)
		for i := range 20 {
			say(t, r, under("a", conversation(i)))
		}
		_ = r.Close()
		size := 0
		for _, f := range kept(t, dir) {
			info, err := os.Stat(f)
			if err != nil {
				t.Fatal(err)
			}
			size += int(info.Size())
		}
		if size > o.Disk.Bytes || size == 0 {
			t.Errorf("%d bytes on disk, and %d are allowed", size, o.Disk.Bytes)
		}
	}
	r := newRunner(t, small(engine.RewindAny), o)
	if a := say(t, r, under("a", conversation(19))); a.finish.Usage.Cached != a.finish.Usage.Prompt-1 {
		t.Errorf("the latest conversation finds %d of %d tokens", a.finish.Usage.Cached, a.finish.Usage.Prompt)
	}
}

func TestKeep_whatIsToBeForgottenIsNotWritten(t *testing.T) {
	dir := t.TempDir()
	r := New(small(engine.RewindAny), keeps(dir))
	for i := range 20 {
		turn := under("a\x00secret", conversation(i))
		turn.Forget = true
		say(t, r, turn)
	}
	_ = r.Close()
	if files := kept(t, dir); len(files) > 0 {
		t.Errorf("%q", files)
	}
}

// A file that is damaged, gone, or that the model refuses costs a log line and is not tried again.
func TestKeep_whatCannotBeUsedIsDeleted(t *testing.T) {
	for name, harm := range map[string]func(path string, data []byte) error{
		"damaged": func(path string, data []byte) error {
			data[len(data)-1] ^= 1
			return os.WriteFile(path, data, 0o600)
		},
		"gone":    func(path string, _ []byte) error { return os.Remove(path) },
		"refused": func(string, []byte) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			before := New(small(engine.RewindAny), keeps(dir))
			say(t, before, conversation(1))
			_ = before.Close()
			f := small(engine.RewindAny)
			f.refuses = name == "refused"
			r := newRunner(t, f, keeps(dir)) // it reads the folder first
			files := kept(t, dir)
			if len(files) != 1 {
				t.Fatalf("files %q", files)
			}
			data, err := os.ReadFile(files[0])
			if err == nil {
				err = harm(files[0], data)
			}
			if err != nil {
				t.Fatal(err)
			}
			if a := say(t, r, conversation(1)); a.finish.Usage.Cached > 0 || a.text != alone(t, conversation(1)) {
				t.Errorf("%d tokens are cached; it says %q", a.finish.Usage.Cached, a.text)
			}
			if files := kept(t, dir); len(files) > 0 {
				t.Errorf("%q is left", files)
			}
		})
	}
}

// Streams go on while another turn waits for the disk, and one that leaves meanwhile leaves
// nothing.
func TestKeep_aTurnThatLeavesWhileItIsFetched(t *testing.T) {
	dir := t.TempDir()
	before := New(small(engine.RewindAny), keeps(dir))
	say(t, before, conversation(1))
	_ = before.Close()
	f := small(engine.RewindAny)
	r := newRunner(t, f, keeps(dir))
	f.loading = make(chan struct{})
	s := open(t, r, conversation(1))
	if a := say(t, r, ask("another", 5)); a.text != alone(t, ask("another", 5)) {
		t.Errorf("beside it, another says %q", a.text)
	}
	_ = s.Close()
	close(f.loading)
	if a := say(t, r, conversation(1)); a.finish.Usage.Cached != a.finish.Usage.Prompt-1 {
		t.Errorf("the next finds %d of %d tokens", a.finish.Usage.Cached, a.finish.Usage.Prompt)
	}
}

// Where memory cannot be cut, host memory holds the places that sequences are too few for.
func TestMove_placesToComeBackToAreMoved(t *testing.T) {
	f := newFake()
	f.rewind, f.sequences, f.cells, f.context = engine.RewindCheckpoints, 4, 20_000, 4096
	r := newRunner(t, f, Options{Slots: 1})
	for i := range 8 {
		say(t, r, conversation(i))
	}
	for i := range 8 {
		if a := say(t, r, conversation(i)); a.finish.Usage.Cached != a.finish.Usage.Prompt-1 || a.text != alone(t, conversation(i)) {
			t.Errorf("conversation %d finds %d of %d tokens and says %q", i, a.finish.Usage.Cached, a.finish.Usage.Prompt, a.text)
		}
	}
}

// waiting is how many calls the loop has not made yet.
func waiting(r *Runner) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls)
}

// A turn that lost its cells goes on from a copy of them.
func TestPreempt_nothingIsReadAgain(t *testing.T) {
	for _, rewind := range []engine.Rewind{engine.RewindAny, engine.RewindCheckpoints} {
		f := newFake()
		f.cells, f.context, f.rewind = 700, 700, rewind
		var r *Runner
		var opened atomic.Int64
		f.step = func([]Entry) {
			// all are to be there, or on their way
			for int(opened.Load())+waiting(r) < 3 {
				runtime.Gosched()
			}
			f.step = nil
		}
		r = newRunner(t, f, Options{Slots: 3, NoDrafts: true})
		turns := []engine.Turn{ask(strings.Repeat("one ", 30), 250), ask(strings.Repeat("two ", 30), 250), ask(strings.Repeat("three ", 20), 250)}
		var all sync.WaitGroup
		for i, turn := range turns {
			all.Go(func() {
				s := open(t, r, turn)
				opened.Add(1)
				if a, err := read(t, s); err != nil || a.text != alone(t, turn) {
					t.Errorf("turn %d: %v, %q", i, err, a.text)
				}
			})
		}
		all.Wait()
		if s := r.Stats(); s.Preempted == 0 || s.Repeated > 0 {
			t.Errorf("rewind %v: %d turns lost their cells, and %d tokens were evaluated again", rewind, s.Preempted, s.Repeated)
		}
	}
}
