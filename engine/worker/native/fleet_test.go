//go:build cgo

package native

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/worker"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/models/placement"
)

// workers is a fleet of real workers with the models of some files.
func workers(t *testing.T, size int, copies int64, paths ...string) *fleet.Fleet {
	t.Helper()
	c := &catalog.Catalog{}
	for _, p := range paths {
		if _, err := c.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	f := fleet.New(fleet.Options{
		Catalog: c, HostCache: copies,
		Estimate: func(e catalog.Entry, _ fleet.Settings) (fleet.Demand, error) {
			estimator, err := placement.NewEstimator(e.Path)
			return fleet.Demand{Wanted: size, Least: size, Need: estimator.Need}, err
		},
		Start: func(ctx context.Context, e catalog.Entry, g fleet.Grant, progress func(float64)) (engine.Engine, error) {
			copies := int(g.Host)
			if copies == 0 {
				copies = -1
			}
			return worker.Start(ctx, worker.Options{
				Name: e.ID, Model: e.Path, Context: g.Context, HostMemory: copies, Roomy: g.Roomy, Progress: progress,
				FlashAttention: worker.Off, Log: slog.New(slog.DiscardHandler),
			})
		},
	})
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// held is what this process holds.
type held struct{ heap, goroutines, descriptors, children int }

func holds(t *testing.T) held {
	t.Helper()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("descriptors can be counted on Linux only")
	}
	tasks, _ := os.ReadDir("/proc/self/task")
	children := 0
	for _, task := range tasks {
		b, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		children += len(strings.Fields(string(b)))
	}
	return held{int(m.HeapAlloc), runtime.NumGoroutine(), len(fds), children}
}

// Loads and unloads leave nothing behind. The client of every fifth load leaves before its end.
// CYCLES says how many loads there are.
func TestFleet_cyclesLeaveNothing(t *testing.T) {
	cycles, _ := strconv.Atoi(os.Getenv("CYCLES"))
	if cycles == 0 {
		cycles = 10
	}
	f := workers(t, 512, 0, tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	cycle := func(n int) {
		if n%5 == 0 {
			ctx, leave := context.WithCancel(t.Context())
			if _, err := f.Load(ctx, fleet.Request{Progress: func(fleet.Progress) { leave() }}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		lease, err := f.Acquire(t.Context(), fleet.Request{})
		if err != nil {
			t.Fatal(err)
		}
		if got := outcome(t, lease.Engine.(*worker.Worker), greedy("again", 4)); got != "answered" {
			t.Fatal(got)
		}
		lease.Release()
		if err := f.Unload(t.Context(), lease.ID, false); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 { // what is made once
		cycle(0)
	}
	before, begin := holds(t), time.Now()
	for n := range cycles {
		cycle(n)
	}
	after := holds(t)
	t.Logf("%d cycles in %s: before %+v, after %+v", cycles, time.Since(begin).Round(time.Second), before, after)
	if after.goroutines > before.goroutines+4 || after.descriptors > before.descriptors+4 || after.children > before.children || after.heap > before.heap+4<<20 {
		t.Error("something stays behind")
	}
}

// The ledger's estimate against what the process takes: for a file of real size, which
// LEDGER_MODEL names.
func TestFleet_ledgerAgainstMeasured(t *testing.T) {
	path := os.Getenv("LEDGER_MODEL")
	if path == "" {
		t.Skip("LEDGER_MODEL names no file")
	}
	for _, size := range []int{4096, 32768} {
		f := workers(t, size, 0, path)
		for load := range 2 {
			lease, err := f.Acquire(t.Context(), fleet.Request{})
			if err != nil {
				t.Fatal(err)
			}
			_ = outcome(t, lease.Engine.(*worker.Worker), greedy(strings.Repeat("The quick brown fox. ", 200), 8))
			i := f.Instances()[0]
			off := float64(i.Need.Total())/float64(i.Resident) - 1
			t.Logf("context %d, load %d: reserved %d MiB (%+v), measured %d MiB: %+.1f %%", size, load+1, i.Need.Total()>>20, i.Need, i.Resident>>20, 100*off)
			if off > 0.1 || off < -0.1 {
				t.Errorf("off by %.1f %%", 100*off)
			}
			lease.Release()
			if err := f.Unload(t.Context(), lease.ID, false); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// What --cache-ram allows is in the ledger, too: with copies of so many turns that it is full, and
// of twice as many, so that others made way, the process takes what was reserved.
func TestFleet_copiesAgainstMeasured(t *testing.T) {
	path := os.Getenv("LEDGER_MODEL")
	if path == "" {
		t.Skip("LEDGER_MODEL names no file")
	}
	const size, copies, fit = 4096, 128 << 20, 6 // so many turns fill the copies
	f := workers(t, size, copies, path)
	lease, err := f.Acquire(t.Context(), fleet.Request{})
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	w := lease.Engine.(*worker.Worker)
	const perRepeat = 7 // tokens, about
	repeats := copies / fit / perRepeat / int(f.Instances()[0].Need.Cache/size)
	for turn := range 2*fit + 2 {
		long := strings.Repeat(strconv.Itoa(turn)+" The quick brown fox. ", repeats)
		if got := outcome(t, w, greedy(long, 1)); got != "answered" {
			t.Fatal(got)
		}
		i := f.Instances()[0]
		reserved := i.Need.Total()
		t.Logf("turn %d: reserved %d MiB, measured %d MiB", turn, reserved>>20, i.Resident>>20)
		if float64(i.Resident) > 1.1*float64(reserved) {
			t.Errorf("turn %d: it takes %d MiB, and %d are reserved", turn, i.Resident>>20, reserved>>20)
		}
	}
	i := f.Instances()[0]
	if off := float64(i.Need.Total())/float64(i.Resident) - 1; off > 0.1 || off < -0.1 {
		t.Errorf("reserved %d MiB, measured %d MiB: off by %.1f %%", i.Need.Total()>>20, i.Resident>>20, 100*off)
	}
}
