// Package placement decides what context a model gets, by what it needs of the memory and what is
// free.
//
// What it needs is estimated by a library that maps and parses the model's file. A file may be
// hostile, or cut off while it is mapped, which ends the process that does it. So [Measure] runs
// in a confined process, and the server does no more than ask and check the answer
// ([Estimate.Check]).
package placement

import (
	"fmt"
	"slices"
)

// Need is what a model takes of the machine's memory.
type Need struct {
	// bytes; where they are mapped from the file the system can drop them under pressure
	Weights int64
	Cache   int64 // bytes of KV cache for the whole context
	Compute int64 // bytes of work buffers
	Host    int64 // bytes for copies of the KV cache
	// bytes of the GPU's own memory, for all of this; what the others count is RAM
	VRAM int64
}

// Total is everything in RAM together, in bytes.
func (n Need) Total() int64 { return n.Weights + n.Cache + n.Compute + n.Host }

// Memory is what the model takes of both memories.
func (n Need) Memory() Memory { return Memory{RAM: n.Total(), VRAM: n.VRAM} }

// Question is what is asked about a model's file.
type Question struct {
	Path               string // of a split one the first part
	KeyType, ValueType string // of the KV cache: q8_0, q4_0, else f16
	// that the machine's own memory does not hold; more than the model has: all
	GPULayers     int
	Wanted, Least int    // contexts, in tokens
	Draft         string // a model that is loaded beside it; "": none
	DraftContext  int    // of that one
}

// Estimate is what a model needs for some contexts, the shortest first.
type Estimate []Sample

// Sample is one context and what it needs.
type Sample struct {
	Context int
	Need    Need
}

// samples of an estimate, at most, beside those of the least and the wanted context.
const samples = 32

// Measure answers a question. It reads the file, which see above.
func Measure(q Question) (Estimate, error) {
	e, err := NewEstimator(q.Path)
	if err != nil {
		return nil, err
	}
	e.KeyType, e.ValueType, e.GPULayers = q.KeyType, q.ValueType, q.GPULayers
	beside, err := q.drafts()
	if err != nil {
		return nil, err
	}
	contexts := []int{q.Least, q.Wanted}
	for i := range samples {
		if c := q.Wanted / samples * i / 256 * 256; c > q.Least {
			contexts = append(contexts, c)
		}
	}
	slices.Sort(contexts)
	var out Estimate
	for _, c := range slices.Compact(contexts) {
		need, err := e.Need(c)
		if err != nil {
			return nil, err
		}
		for i, n := range need.figures() {
			*n += *beside.figures()[i]
		}
		out = append(out, Sample{c, need})
	}
	return out, nil
}

// drafts is what the draft model needs, in a process that counts already.
func (q Question) drafts() (Need, error) {
	if q.Draft == "" {
		return Need{}, nil
	}
	e, err := NewEstimator(q.Draft)
	if err != nil {
		return Need{}, err
	}
	e.GPULayers = q.GPULayers
	need, err := e.Need(q.DraftContext)
	need.Compute -= workerOwn
	return need, err
}

// mostBytes bounds each figure, so that sums of a few do not overflow.
const mostBytes = 1 << 56

// Check refuses what no honest process answers.
func (e Estimate) Check() error {
	if len(e) == 0 || len(e) > samples+2 {
		return fmt.Errorf("%d contexts are no estimate", len(e))
	}
	last := -1
	for _, s := range e {
		if s.Context <= last || s.Context > 1<<30 {
			return fmt.Errorf("a context of %d tokens behind one of %d is no estimate", s.Context, last)
		}
		last = s.Context
		for _, n := range s.Need.figures() {
			if *n < 0 || *n > mostBytes {
				return fmt.Errorf("%d bytes are no amount of memory", *n)
			}
		}
	}
	return nil
}

func (n *Need) figures() []*int64 {
	return []*int64{&n.Weights, &n.Cache, &n.Compute, &n.Host, &n.VRAM}
}

// Need is for a context of so many tokens. Between two samples it lies on the line that joins
// them: what is computed grows evenly with the context, or ever faster, so that this is never too
// little. Outside of them it is an error.
func (e Estimate) Need(context int) (Need, error) {
	i, found := slices.BinarySearchFunc(e, context, func(s Sample, c int) int { return s.Context - c })
	switch {
	case found:
		return e[i].Need, nil
	case i == 0 || i == len(e):
		return Need{}, fmt.Errorf("the memory for a context of %d tokens was not estimated", context)
	}
	before, after := e[i-1], e[i]
	need, more := before.Need, after.Need
	for j, n := range need.figures() {
		share := float64(context-before.Context) / float64(after.Context-before.Context)
		*n += int64(share * float64(*more.figures()[j]-*n))
	}
	return need, nil
}

// FitContext returns the longest context of at most wanted tokens, in steps of 256, with which a
// model needs no more than is free, but never less than least; and what it needs then.
func FitContext(ask func(context int) (Need, error), wanted, least int, free Memory) (int, Need, error) {
	need, err := ask(wanted)
	if err != nil || need.Memory().Within(free) {
		return wanted, need, err
	}
	lo, hi := least/256, wanted/256 // lo may not fit: the caller asked for it
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if need, err = ask(mid * 256); err != nil {
			return wanted, need, err
		}
		if need.Memory().Within(free) {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	fits := max(lo*256, least)
	need, err = ask(fits)
	return fits, need, err
}
