package grammar_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"time"
)

// Report holds the figures of a run.
type Report struct {
	Schemas         int            `json:"schemas"`
	OK              int            `json:"ok"`
	Unsupported     int            `json:"unsupported"`
	UnsupportedBy   map[string]int `json:"unsupported_by"`
	RefusedValid    int            `json:"refused_valid"`
	AcceptedInvalid int            `json:"accepted_invalid"`
	Masks           int            `json:"masks"`
	// mask and accept, on a grammar just compiled
	MaskUS      Percentiles `json:"mask_us"`
	MaskWarmUS  Percentiles `json:"mask_warm_us"` // the same on a second walk
	FirstMaskMS Percentiles `json:"first_mask_ms"`
	CompileMS   Percentiles `json:"compile_ms"`
	// taken from the operating system by the whole process
	MemoryBytes int64      `json:"memory_bytes"`
	Slowest     []SlowMask `json:"slowest,omitempty"`

	cold, warm, first, compile []time.Duration
}

// Percentiles of a sample.
type Percentiles struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99.9"`
	Max  float64 `json:"max"`
}

func percentiles(sample []time.Duration, unit time.Duration) Percentiles {
	if len(sample) == 0 {
		return Percentiles{}
	}
	slices.Sort(sample)
	at := func(q float64) float64 {
		d := sample[min(int(q*float64(len(sample))), len(sample)-1)]
		return float64(d.Nanoseconds()) / float64(unit.Nanoseconds())
	}
	return Percentiles{at(.5), at(.9), at(.99), at(.999), at(1)}
}

func (rep *Report) summarise() {
	rep.Masks = len(rep.cold) + len(rep.first)
	rep.MaskUS = percentiles(rep.cold, time.Microsecond)
	rep.MaskWarmUS = percentiles(rep.warm, time.Microsecond)
	rep.FirstMaskMS = percentiles(rep.first, time.Millisecond)
	rep.CompileMS = percentiles(rep.compile, time.Millisecond)
}

// Write writes the report for people.
func (rep *Report) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, `schemas            %d
passing            %d (%.1f %%)   nothing valid refused, nothing invalid accepted
unsupported        %d%s
refused valid      %d   schemas that refuse a valid instance
accepted invalid   %d   schemas that accept an invalid instance
masks              %d   computed, one before every token and one before the end

                          p50       p90       p99     p99.9       max
mask, cold       µs %s   mask and accept, grammar just compiled
mask, warm       µs %s   the same, second walk
first mask       ms %s   compiling included
compile          ms %s
memory           MB %9.0f   of the whole process
`, rep.Schemas, rep.OK, 100*float64(rep.OK)/float64(max(rep.Schemas, 1)), rep.Unsupported, rep.keywords(), rep.RefusedValid, rep.AcceptedInvalid, rep.Masks,
		rep.MaskUS, rep.MaskWarmUS, rep.FirstMaskMS, rep.CompileMS, float64(rep.MemoryBytes)/1e6)
	return errors.Join(err, rep.writeSlowest(w))
}

// String lists the percentiles in columns.
func (p Percentiles) String() string {
	return fmt.Sprintf("%9.2f %9.2f %9.2f %9.2f %9.2f", p.P50, p.P90, p.P99, p.P999, p.Max)
}

func (rep *Report) keywords() string {
	type count struct {
		keyword string
		n       int
	}
	var list []count
	for k, n := range rep.UnsupportedBy {
		list = append(list, count{k, n})
	}
	sort.Slice(list, func(i, j int) bool {
		return list[i].n > list[j].n || list[i].n == list[j].n && list[i].keyword < list[j].keyword
	})
	s := ""
	for i, c := range list {
		sep := ", "
		if i == 0 {
			sep = ": "
		}
		s += fmt.Sprintf("%s%s %d", sep, c.keyword, c.n)
	}
	return s
}
