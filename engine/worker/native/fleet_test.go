//go:build cgo

package native

import (
	"context"
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
func workers(t *testing.T, size int, paths ...string) *fleet.Fleet {
	t.Helper()
	c := &catalog.Catalog{}
	for _, p := range paths {
		if _, err := c.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	f := fleet.New(fleet.Options{
		Catalog: c,
		Estimate: func(e catalog.Entry, _ fleet.Settings) (fleet.Demand, error) {
			estimator, err := placement.NewEstimator(e.Path)
			return fleet.Demand{Wanted: size, Least: size, Need: estimator.Need}, err
		},
		Start: func(ctx context.Context, e catalog.Entry, g fleet.Grant, progress func(float64)) (engine.Engine, error) {
			return worker.Start(ctx, worker.Options{
				Name: e.ID, Model: e.Path, Context: g.Context, HostMemory: -1, Roomy: g.Roomy, Progress: progress,
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

// Loads and unloads leave nothing behind. CYCLES says how many there are.
func TestFleet_cyclesLeaveNothing(t *testing.T) {
	cycles, _ := strconv.Atoi(os.Getenv("CYCLES"))
	if cycles == 0 {
		cycles = 10
	}
	f := workers(t, 512, tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention}))
	cycle := func() {
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
		cycle()
	}
	before, begin := holds(t), time.Now()
	for range cycles {
		cycle()
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
		f := workers(t, size, path)
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
