//go:build cgo

package llama

// #include "shim.h"
import "C"

import (
	"cmp"
	"slices"
)

// specials are the user-defined tokens of a vocabulary. llama.cpp takes them out of a text before
// it tokenizes the rest, each token in turn, the longest first; its time grows with the square of
// how many it finds. What is found here is the same, and the time grows with the text.
type specials struct {
	list    []special      // in the order in which they are looked for
	ranks   map[string]int // by text
	lengths [256][]int     // of those that begin with a byte, longest first
}

type special struct {
	id            int32
	text          string
	strip, rstrip bool // white space before it, and behind it, goes
}

// fragment is a special token, or else plain text.
type fragment struct {
	id   int32
	text string
}

func newSpecials(v *Vocab) *specials {
	s := &specials{ranks: map[string]int{}}
	var ids []int32
	sizes := make([]C.uint32_t, v.size)
	for id := range int32(v.size) {
		if v.Attr(id)&(Control|UserDefined|Unknown) != 0 {
			ids = append(ids, id)
			sizes[id] = C.uint32_t(len(v.text(id)))
		}
	}
	if len(ids) > 0 {
		C.tn_longest_first((*C.int32_t)(&ids[0]), C.size_t(len(ids)), &sizes[0])
	}
	for _, id := range ids {
		text, attr := v.text(id), v.Attr(id)
		if _, known := s.ranks[text]; known || text == "" || attr&(Control|Unknown) != 0 {
			continue // of one text, the first takes all
		}
		s.ranks[text] = len(s.list)
		s.list = append(s.list, special{id, text, attr&lstrip != 0, attr&rstrip != 0})
		if at := &s.lengths[text[0]]; len(*at) == 0 || (*at)[len(*at)-1] != len(text) {
			*at = append(*at, len(text))
		}
	}
	return s
}

// longest is the rank of the longest token, shorter than limit, that a text begins with; -1 if
// none.
func (s *specials) longest(text string, limit int, steps *int) int {
	for _, n := range s.lengths[text[0]] {
		*steps++
		if n < limit && n <= len(text) {
			if rank, ok := s.ranks[text[:n]]; ok {
				return rank
			}
		}
	}
	return -1
}

// part cuts a text at its special tokens. Each place waits at the longest token that it begins
// with; if another has taken its end by then, at the next shorter.
func (s *specials) part(text string, steps *int) []fragment {
	waiting := map[int][]int32{} // where each token may stand, by its rank
	for at := range len(text) {
		if rank := s.longest(text[at:], len(text)+1, steps); rank >= 0 {
			waiting[rank] = append(waiting[rank], int32(at))
		}
	}
	if len(waiting) == 0 {
		return []fragment{{id: NoToken, text: text}}
	}
	type found struct{ begin, end, rank int }
	var all []found
	taken := make([]bool, len(text))
	for rank := range s.list {
		size := len(s.list[rank].text)
		slices.Sort(waiting[rank])
		for _, at := range waiting[rank] {
			*steps++
			begin, end := int(at), int(at)+size
			// what was taken is longer: it covers one end, if any of the place
			switch {
			case taken[begin]:
			case taken[end-1]:
				if next := s.longest(text[at:], size, steps); next >= 0 {
					waiting[next] = append(waiting[next], at)
				}
			default:
				for s.list[rank].strip && begin > 0 && !taken[begin-1] && isSpace(text[begin-1]) {
					begin--
				}
				for s.list[rank].rstrip && end < len(text) && !taken[end] && isSpace(text[end]) {
					end++
				}
				for i := begin; i < end; i++ {
					taken[i] = true
				}
				all = append(all, found{begin, end, rank})
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Compare(a.begin, b.begin) })
	var parts []fragment
	start := 0
	for _, f := range append(all, found{begin: len(text), rank: -1}) {
		if f.begin > start {
			parts = append(parts, fragment{id: NoToken, text: text[start:f.begin]})
		}
		if f.rank >= 0 {
			parts = append(parts, fragment{id: s.list[f.rank].id})
		}
		start = f.end
	}
	return parts
}

func isSpace(b byte) bool { return b == ' ' || b >= '\t' && b <= '\r' }
