package runner

import (
	"testing"

	"tenon/engine/worker/schedule"
)

// All sequences are in use, and what a turn begins with is kept as a leaf, which would be evicted
// before what others were forked from.
func TestTakeSequence_sparesWhatTheTurnBeginsWith(t *testing.T) {
	f := newFake()
	f.memory = make([][]fakeCell, 3)
	for _, c := range []struct{ keptBeside, want int }{{1, 0}, {0, 1}} {
		l := &loop{Runner: &Runner{backend: f}, cache: schedule.NewCache(3)}
		root, _ := l.cache.Take("")
		leaf, _ := l.cache.Take("")
		_, _ = l.cache.Take("") // of a turn that runs
		l.cache.Extend(root, 1, 2)
		l.cache.Fork(root, leaf, 2)
		l.cache.Extend(leaf, 3)
		l.cache.Keep(leaf)
		if c.keptBeside > 0 {
			l.cache.Keep(root)
		}
		if seq := l.takeSequence("", leaf); seq != c.want {
			t.Errorf("with %d kept beside it, sequence %d was taken, want %d", c.keptBeside, seq, c.want)
		}
	}
}
