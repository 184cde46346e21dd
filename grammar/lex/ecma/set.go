package ecma

import (
	"cmp"
	"slices"
	"unicode"
)

// Range is the code points Lo to Hi, both included.
type Range struct{ Lo, Hi rune }

// Set is a sorted list of disjoint, non-adjacent ranges.
type Set []Range

// All is the set of all code points.
var All = Set{{0, unicode.MaxRune}}

// NewSet sorts and joins ranges; it owns them from here on.
func NewSet(ranges ...Range) Set {
	slices.SortFunc(ranges, func(x, y Range) int { return cmp.Compare(x.Lo, y.Lo) })
	out := ranges[:0]
	for _, r := range ranges {
		if k := len(out) - 1; k >= 0 && r.Lo <= out[k].Hi+1 {
			out[k].Hi = max(out[k].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return Set(out)
}

// SetOf returns the set of the code points of s.
func SetOf(s string) Set {
	var ranges []Range
	for _, r := range s {
		ranges = append(ranges, Range{r, r})
	}
	return NewSet(ranges...)
}

// Union is the code points that are in s or in t.
func (s Set) Union(t Set) Set { return NewSet(append(slices.Clone(s), t...)...) }

// Complement is the code points that are not in s.
func (s Set) Complement() Set {
	var out Set
	next := rune(0)
	for _, r := range s {
		if next < r.Lo {
			out = append(out, Range{next, r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, Range{next, unicode.MaxRune})
	}
	return out
}

// fromTable converts a table of package unicode.
func fromTable(t *unicode.RangeTable) Set {
	var ranges []Range
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			ranges = append(ranges, Range{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			ranges = append(ranges, Range{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return NewSet(ranges...)
}
