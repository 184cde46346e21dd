package runner

import (
	"strings"
	"testing"

	"tenon/engine"
)

// missOf is what a turn's progress says of a miss.
func missOf(t *testing.T, r *Runner, turn engine.Turn) *engine.Miss {
	t.Helper()
	s := open(t, r, turn)
	defer func() { _ = s.Close() }()
	var miss *engine.Miss
	for {
		u, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if u.Progress != nil {
			miss = u.Progress.Miss
		}
		if u.Finish != nil {
			return miss
		}
	}
}

func TestMiss_saysWhereAPromptLeavesAnEarlierOne(t *testing.T) {
	const system = "the system prompt of an agent, whose date is "
	const rest = ", and which has much to say about tools and how to call them: read the file, write the file, run the tests, report."
	prompts := []struct {
		key, prompt string
		want        bool
	}{
		{"one", system + "Monday" + rest, false},
		{"one", system + "Monday" + rest + " And it goes on.", false}, // append-only
		{"one", system + "Friday" + rest, true},
		{"two", system + "Sunday" + rest, false}, // nothing is known under its key
		{"one", "the system", false},             // the beginning of a known one
	}
	for name, o := range map[string]Options{"host memory": {}, "none": {HostMemory: -1}} {
		for bos, unwritten := range map[int32]bool{-1: false, bosToken: true} {
			f := newFake()
			f.bos = bos
			r := newRunner(t, f, o)
			for i, c := range prompts {
				turn := ask(c.prompt, 2)
				turn.CacheKey = c.key
				miss := missOf(t, r, turn)
				if (miss != nil) != c.want {
					t.Errorf("%s: prompt %d: %+v", name, i, miss)
				}
				if miss == nil {
					continue
				}
				tokens := len(system)
				if unwritten {
					tokens++
				}
				before := strings.TrimPrefix(miss.Before, "<bos>")
				if miss.Tokens != tokens || miss.Bytes != len(system) || before != system ||
					miss.Was != ("Monday" + rest)[:missAround] || miss.Is != ("Friday" + rest)[:missAround] {
					t.Errorf("%s: %+v", name, miss)
				}
			}
		}
	}
}

// Where memory cannot be cut, the place is the one where the texts part, not the one that could be
// gone back to.
func TestMiss_doesNotDependOnHowTheModelRemembers(t *testing.T) {
	for name, rewind := range rewinds {
		f := newFake()
		f.rewind = rewind
		r := newRunner(t, f, Options{})
		long := strings.Repeat("what both have in common. ", 6)
		missOf(t, r, ask(long+strings.Repeat("one ", 30), 2))
		if miss := missOf(t, r, ask(long+strings.Repeat("two ", 30), 2)); miss == nil || miss.Tokens != len(long) {
			t.Errorf("%s: %+v", name, miss)
		}
	}
}
