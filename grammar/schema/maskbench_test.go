package schema

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"tenon/grammar/grammartest"
	"tenon/grammar/schema/source"
)

// sampleEvery is the step of the sample of schemas.
const sampleEvery = 23

func eachBenchCase(t testing.TB, f func(grammartest.Case)) {
	t.Helper()
	grammartest.Schemas(t, sampleEvery, f)
}

// tally counts the outcomes of a walk over the schemas.
type tally struct {
	all, real, passed, passedReal int
	times                         []time.Duration
	refused                       []string
}

func (n *tally) judge(t *testing.T, c grammartest.Case) {
	n.all++
	if !c.MadeUp() {
		n.real++
	}
	start := time.Now()
	s, err := Compile(string(c.Schema), Options{})
	n.times = append(n.times, time.Since(start))
	var unsat *UnsatError
	if err != nil && !errors.As(err, &unsat) {
		n.refuse(t, c, err)
		return
	}
	for i, instance := range c.Tests {
		v, derr := source.Decode(string(instance.Data), 1000)
		if got := derr == nil && unsat == nil && accepts(s.Root, v); got != instance.Valid {
			t.Errorf("%s: instance %d should be %v (%v)", c.Name, i, instance.Valid, err)
			return
		}
	}
	n.passed++
	if !c.MadeUp() {
		n.passedReal++
	}
}

// refuse notes a schema that strict compilation refuses. Lenient compilation must accept it, with
// a superset of its values.
func (n *tally) refuse(t *testing.T, c grammartest.Case, err error) {
	keyword := "invalid"
	var unsupported *UnsupportedError
	if errors.As(err, &unsupported) {
		keyword = unsupported.Keyword
	}
	n.refused = append(n.refused, fmt.Sprintf("%s %s", c.Name, keyword))
	s, lenientErr := Compile(string(c.Schema), Options{Lenient: true})
	if lenientErr != nil {
		t.Errorf("%s: lenient compilation fails: %v", c.Name, lenientErr)
		return
	}
	if len(s.Issues) == 0 {
		t.Errorf("%s: lenient compilation reports nothing of %v", c.Name, err)
	}
	for i, instance := range c.Tests {
		if v, err := source.Decode(string(instance.Data), 1000); err == nil && instance.Valid && !accepts(s.Root, v) {
			t.Errorf("%s: instance %d is valid and the lenient form refuses it", c.Name, i)
		}
	}
}

func TestMaskBench(t *testing.T) {
	var n tally
	eachBenchCase(t, func(c grammartest.Case) { n.judge(t, c) })
	slices.Sort(n.times)
	t.Logf("passed %d of %d, %d of %d real ones", n.passed, n.all, n.passedReal, n.real)
	if k := len(n.times); k > 0 {
		t.Logf("compile p50 %v p99 %v max %v", n.times[k/2], n.times[k*99/100], n.times[k-1])
	}
	for _, line := range n.refused {
		t.Log("refused: " + line) // the ratchet of package grammar judges it
	}
}
