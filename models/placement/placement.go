// Package placement decides what context a model gets, by what it needs of the memory and what is free.
//
// What it needs is estimated by a library that maps and parses the model's file. A file may be hostile, or cut
// off while it is mapped, which ends the process that does it. So [Measure] runs in a confined process, and the
// server does no more than ask and check the answer ([Answer.Check]).
package placement

import "fmt"

// Need is what a model takes of the machine's memory.
type Need struct {
	Weights int64 // bytes; where they are mapped from the file the system can drop them under pressure
	Cache   int64 // bytes of KV cache for the whole context
	Compute int64 // bytes of work buffers
}

// Total is everything together, in bytes.
func (n Need) Total() int64 { return n.Weights + n.Cache + n.Compute }

// Question is what is asked about a model's file.
type Question struct {
	Path               string // of a split one the first part
	KeyType, ValueType string // of the KV cache: q8_0, q4_0, else f16
	GPULayers          int    // that the machine's own memory does not hold; more than the model has: all
	Wanted, Least      int    // contexts, in tokens
	Free               int64  // bytes
}

// Answer is what a model gets.
type Answer struct {
	Least   Need // for the least context
	Context int  // the longest that fits, at most the wanted one; 0: not even the least does
	Need    Need // for that context
}

// Measure answers a question. It reads the file, which see above.
func Measure(q Question) (Answer, error) {
	e, err := NewEstimator(q.Path)
	if err != nil {
		return Answer{}, err
	}
	e.KeyType, e.ValueType, e.GPULayers = q.KeyType, q.ValueType, q.GPULayers
	var a Answer
	if a.Least, err = e.Need(q.Least); err != nil || a.Least.Total() > q.Free {
		return a, err
	}
	a.Context, a.Need, err = e.FitContext(q.Wanted, q.Least, q.Free)
	return a, err
}

// mostBytes bounds each figure, so that sums of a few do not overflow.
const mostBytes = 1 << 60

// Check refuses what no honest process answers to q.
func (a Answer) Check(q Question) error {
	for _, n := range []int64{a.Least.Weights, a.Least.Cache, a.Least.Compute, a.Need.Weights, a.Need.Cache, a.Need.Compute} {
		if n < 0 || n > mostBytes {
			return fmt.Errorf("%d bytes are no amount of memory", n)
		}
	}
	if a.Context != 0 && (a.Context < min(q.Least, q.Wanted) || a.Context > q.Wanted) {
		return fmt.Errorf("a context of %d tokens is not between %d and %d", a.Context, q.Least, q.Wanted)
	}
	return nil
}
