//go:build cgo

package llama

import (
	"os"
	"testing"

	"tenon/engine/enginetest/tinymodel"
)

// On 64 cores, a pool of threads for each number that ever decoded would be 2,016 threads. There
// are two pools.
func TestPools_doNotPileUp(t *testing.T) {
	const most = 6
	c := newContext(t, load(t, tinymodel.Options{Kind: tinymodel.FullAttention, Shape: tinymodel.Shape{Layers: 1}}, ModelOptions{}), ContextOptions{Size: 512, Threads: most})
	threads := func() int {
		tasks, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip(err)
		}
		return len(tasks)
	}
	evaluate(t, c, 0, []int32{1})
	before := threads()
	for n := 1; n < most; n++ { // with a pool for each there would be 10 more
		c.threads.now = n
		evaluate(t, c, 0, []int32{1})
	}
	if more := threads() - before; more > most+1 { // some are Go's own
		t.Errorf("%d threads more than with one pool", more)
	}
}
