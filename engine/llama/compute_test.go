//go:build linux

package llama

import (
	"runtime"
	"sync"
	"syscall"
	"testing"
)

func TestComputeThread_isOneHoweverManyCall(t *testing.T) {
	var c computeThread
	defer c.close()
	seen := map[int]int{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			runtime.LockOSThread() // so that each caller is on a thread of its own
			defer runtime.UnlockOSThread()
			for range 50 {
				c.do(func() { seen[syscall.Gettid()]++ }) // calls do not overlap
			}
		})
	}
	all.Wait()
	if len(seen) != 1 {
		t.Errorf("calls per thread: %v, want one thread", seen)
	}
}

func TestComputeThread_thatNeverRanCloses(t *testing.T) {
	var c computeThread
	c.close()
	c.close()
}
