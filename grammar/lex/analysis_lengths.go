package lex

import (
	"maps"
	"math/big"
	"slices"
	"unsafe"
)

// Intersected with a bound on the length, most languages have many states, and whether each is
// live would take a long search. The lengths that words can have follow from the expression
// instead, up to a limit that few bounds exceed.

// lengthLimit is the length from which on lengths are not distinguished.
const lengthLimit = 1 << 10

// lengthSet is a set of the lengths that words have, below lengthLimit.
type lengthSet struct {
	bits  big.Int
	exact bool // otherwise words may have other lengths, too
	long  bool // some words are longer than any bound
	cheap bool // for every length, some word takes one byte for each code point, even in JSON
}

// lengthsFrom returns the lengths from n on.
func lengthsFrom(n uint) *big.Int {
	all := new(big.Int).Lsh(big.NewInt(1), lengthLimit)
	return all.Sub(all, new(big.Int).Lsh(big.NewInt(1), min(n, lengthLimit)))
}

// next returns the least length from lo on, huge if there is none.
func (s *lengthSet) next(lo int32) int32 {
	rest := new(big.Int).Rsh(&s.bits, uint(lo))
	if rest.Sign() == 0 {
		return huge
	}
	return lo + int32(rest.TrailingZeroBits())
}

// some reports whether there is a word.
func (s *lengthSet) some() bool { return s.long || s.bits.Sign() > 0 }

// add adds a length.
func (s *lengthSet) add(n int32) {
	if n < lengthLimit {
		s.bits.SetBit(&s.bits, int(n), 1)
	}
}

// within returns the lengths from lo to hi.
func (s *lengthSet) within(lo, hi int32) *lengthSet {
	out := &lengthSet{exact: s.exact, cheap: s.cheap, long: s.long && hi == unbounded}
	out.bits.And(&s.bits, lengthsFrom(uint(lo)))
	if hi != unbounded {
		out.bits.AndNot(&out.bits, lengthsFrom(uint(hi)+1))
	}
	return out
}

// plus returns the lengths of concatenations: the sums of one of s and one of t.
func (s *lengthSet) plus(t *lengthSet) *lengthSet {
	long := s.long && t.some() || s.some() && t.long
	return &lengthSet{*sums(&s.bits, &t.bits), s.exact && t.exact, long, s.cheap && t.cheap}
}

// times returns the lengths of repetitions: the sums of lo to hi of s.
func (s *lengthSet) times(lo, hi int32) *lengthSet {
	more := int32(lengthLimit)
	if hi != unbounded {
		more = hi - lo
	}
	least := multiples(&s.bits, lo)
	long := s.long || hi == unbounded && s.bits.BitLen() > 1
	return &lengthSet{*sums(least, multiples(new(big.Int).SetBit(&s.bits, 0, 1), more)), s.exact, long, s.cheap}
}

// multiples returns the sums of n lengths. Of one range, which is the common case, they are one.
func multiples(x *big.Int, n int32) *big.Int {
	n = min(n, lengthLimit)
	lo, hi := x.TrailingZeroBits(), uint(x.BitLen())
	if all := lengthsFrom(lo); n > 0 && hi > 0 && all.AndNot(all, lengthsFrom(hi)).Cmp(x) == 0 {
		return all.AndNot(lengthsFrom(uint(n)*lo), lengthsFrom(uint(n)*(hi-1)+1))
	}
	out := big.NewInt(1)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			out = sums(out, x)
		}
		if n > 1 {
			x = sums(x, x)
		}
	}
	return out
}

// sums returns the sums of a length of x and one of y. Lengths come in few ranges, so that it
// takes the ranges of x one by one.
func sums(x, y *big.Int) *big.Int {
	out, part, more := new(big.Int), new(big.Int), new(big.Int).Lsh(x, 1)
	begins, ends := new(big.Int).AndNot(x, more), new(big.Int).AndNot(more, x)
	for begins.Sign() != 0 {
		lo, hi := begins.TrailingZeroBits(), ends.TrailingZeroBits()
		begins.SetBit(begins, int(lo), 0)
		ends.SetBit(ends, int(hi), 0)
		part.Lsh(y, lo)
		// n lengths of the range have been added
		for n := uint(1); n < hi-lo; n += min(n, hi-lo-n) {
			part.Or(part, more.Lsh(part, min(n, hi-lo-n)))
		}
		out.Or(out, part)
	}
	return out.And(out, lengthsFrom(0))
}

// lengthsOf returns the lengths of the words of e, in code points.
func (a *Arena) lengthsOf(e Expr) *lengthSet {
	if s := a.at(e).lengths; s != nil {
		return s
	}
	n := *a.at(e)
	var s *lengthSet
	switch n.kind {
	case kindWords:
		s = a.words.lengths(wordSet(n.a))
	case kindConcat:
		s = a.lengthsOf(Expr(n.a)).plus(a.lengthsOf(Expr(n.b)))
	case kindRepeat:
		s = a.lengthsOf(Expr(n.a)).times(n.min, n.max)
	case kindUnion:
		s = &lengthSet{exact: true, cheap: true}
		for _, x := range n.args {
			t := a.lengthsOf(x)
			s.bits.Or(&s.bits, &t.bits)
			s.exact, s.long, s.cheap = s.exact && t.exact, s.long || t.long, s.cheap && t.cheap
		}
	case kindIntersect:
		s = &lengthSet{}
		if p, lo, hi, ok := a.bounded(n.args); ok {
			s = a.lengthsOf(p).within(lo, hi)
		}
	case kindShared:
		b := a.sharedOf(&n).arena
		b.mu.Lock()
		s = b.lengthsOf(b.Expr(State(n.a)))
		b.mu.Unlock()
	default:
		s = &lengthSet{}
		if n.plain {
			s.add(n.span.minRunes)
			s.exact = n.span.minRunes == n.span.maxRunes || n.span.minRunes >= lengthLimit
		}
	}
	a.nodes[e].lengths = s
	a.lengthBytes += int(unsafe.Sizeof(*s)) + 8*len(s.bits.Bits())
	return s
}

// byLength decides by the lengths of its words whether e has one.
func (a *Arena) byLength(e Expr) verdict {
	switch s, most := a.lengthsOf(e), a.at(e).span.maxRunes; {
	case s.some():
		return yes
	case s.exact && most != unbounded && most < lengthLimit:
		return no
	}
	return unknown
}

// bounded splits an intersection into a language of text and a bound on the length.
func (a *Arena) bounded(args []Expr) (of Expr, lo, hi int32, ok bool) {
	if len(args) != 2 {
		return empty, 0, 0, false
	}
	for i, x := range args {
		if base, lo, hi := a.counted(x); base == a.anyRune && a.at(args[1-i]).text {
			return args[1-i], lo, hi, true
		}
	}
	return empty, 0, 0, false
}

// lengths returns the lengths of the words of a set.
func (w *words) lengths(s wordSet) *lengthSet {
	out := &lengthSet{exact: true, cheap: true}
	cheap := w.lengthsBy(s, true)
	for n, is := range w.lengthsBy(s, false) {
		if is {
			out.add(int32(n))
			out.cheap = out.cheap && n < len(cheap) && cheap[n]
		}
	}
	return out
}

// lengthsBy says of each length whether a word has it. With cheap, only words that take one byte
// for each code point in JSON count.
func (w *words) lengthsBy(s wordSet, cheap bool) (found []bool) {
	for now := (map[wordSet]bool{s: true}); len(now) > 0; {
		is, next := false, map[wordSet]bool{}
		for list := slices.Collect(maps.Keys(now)); len(list) > 0; {
			n := &w.nodes[list[len(list)-1]]
			list = list[:len(list)-1]
			is = is || n.final
			for _, e := range n.edges {
				if e.costs(1, cheap) {
					next[e.next] = true
				}
				if e.costs(0, cheap) && !now[e.next] {
					now[e.next] = true
					list = append(list, e.next)
				}
			}
		}
		found, now = append(found, is), next
	}
	return found
}

// costs reports whether some byte of e begins so many code points (0 or 1).
func (e edge) costs(runes int32, cheap bool) bool {
	for b := int(e.lo); b <= int(e.hi); b++ {
		if runeCost(byte(b)) == runes && (!cheap || b < 0x80 && jsonCost(byte(b)) == 1) {
			return true
		}
	}
	return false
}
