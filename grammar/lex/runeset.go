package lex

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
)

// runeSet is a sorted list of disjoint, non-adjacent ranges.
type runeSet []RuneRange

var allRunes = runeSet{{0, unicode.MaxRune}}

// newRuneSet sorts and joins ranges; it owns them from here on.
func newRuneSet(ranges ...RuneRange) runeSet {
	slices.SortFunc(ranges, func(x, y RuneRange) int { return cmp.Compare(x.Lo, y.Lo) })
	out := ranges[:0]
	for _, r := range ranges {
		if k := len(out) - 1; k >= 0 && r.Lo <= out[k].Hi+1 {
			out[k].Hi = max(out[k].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return runeSet(out)
}

// runesOf returns the set of the code points of s.
func runesOf(s string) runeSet {
	var ranges []RuneRange
	for _, r := range s {
		ranges = append(ranges, RuneRange{r, r})
	}
	return newRuneSet(ranges...)
}

func (s runeSet) union(t runeSet) runeSet { return newRuneSet(append(slices.Clone(s), t...)...) }

func (s runeSet) complement() runeSet {
	var out runeSet
	next := rune(0)
	for _, r := range s {
		if next < r.Lo {
			out = append(out, RuneRange{next, r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, RuneRange{next, unicode.MaxRune})
	}
	return out
}

func (s runeSet) intersect(t runeSet) runeSet {
	var out runeSet
	for i, j := 0, 0; i < len(s) && j < len(t); {
		lo, hi := max(s[i].Lo, t[j].Lo), min(s[i].Hi, t[j].Hi)
		if lo <= hi {
			out = append(out, RuneRange{lo, hi})
		}
		if s[i].Hi < t[j].Hi {
			i++
		} else {
			j++
		}
	}
	return out
}

func (s runeSet) subsetOf(t runeSet) bool { return slices.Equal(s.intersect(t), s) }

// folded adds the other cases of the letters in s, as Unicode's simple case folding has them.
func (s runeSet) folded() runeSet {
	out := slices.Clone(s)
	for _, x := range s {
		letters := cased()
		from, _ := slices.BinarySearch(letters, x.Lo)
		for _, r := range letters[from:] {
			if r > x.Hi {
				break
			}
			for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
				out = append(out, RuneRange{c, c})
			}
		}
	}
	return newRuneSet(out...)
}

// cased lists the letters that have other cases.
var cased = sync.OnceValue(func() []rune {
	var out []rune
	for r := range rune(0x20000) { // the planes behind have no cases
		if unicode.SimpleFold(r) != r {
			out = append(out, r)
		}
	}
	return out
})

// fromTable converts a table of package unicode.
func fromTable(t *unicode.RangeTable) runeSet {
	var ranges []RuneRange
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			ranges = append(ranges, RuneRange{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			ranges = append(ranges, RuneRange{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return newRuneSet(ranges...)
}
