package lex

import (
	"unicode/utf8"

	"tenon/grammar/lex/ecma"
)

// byteRange is one byte of an encoding, any of lo to hi.
type byteRange struct{ lo, hi byte }

// encoding is a set of UTF-8 encodings of one length as a range for each byte.
type encoding struct {
	bytes [utf8.UTFMax]byteRange
	n     int
}

// utf8Planes are the code points that take one, two, three (around the surrogates) and four bytes.
var utf8Planes = ecma.Set{
	{Lo: 0, Hi: 0x7F}, {Lo: 0x80, Hi: 0x7FF}, {Lo: 0x800, Hi: 0xD7FF}, {Lo: 0xE000, Hi: 0xFFFF}, {Lo: 0x10000, Hi: utf8.MaxRune},
}

// ofRunes returns the UTF-8 encodings of the code points; surrogates are left out.
func (w *words) ofRunes(set ecma.Set) wordSet {
	var buffer [64]encoding
	all := buffer[:0]
	for _, x := range set {
		for _, plane := range utf8Planes {
			if lo, hi := max(x.Lo, plane.Lo), min(x.Hi, plane.Hi); lo <= hi {
				all = appendEncodings(all, lo, hi)
			}
		}
	}
	return w.ofEncodings(all, 0)
}

// appendEncodings splits a range of code points that all take the same number of bytes. In each
// encoding, a byte has a range of several values only if all bytes behind it have their full
// ranges. Encodings with equal ranges up to a byte therefore have equal or disjoint ranges at that
// byte.
func appendEncodings(all []encoding, lo, hi rune) []encoding {
	for bits := 6; bits <= 18; bits += 6 {
		mask := rune(1)<<bits - 1
		if hi <= 0x7F || lo&^mask == hi&^mask {
			break
		}
		if lo&mask != 0 {
			all = appendEncodings(all, lo, lo|mask)
			return appendEncodings(all, (lo|mask)+1, hi)
		}
		if hi&mask != mask {
			all = appendEncodings(all, lo, hi&^mask-1)
			return appendEncodings(all, hi&^mask, hi)
		}
	}
	var first, last [utf8.UTFMax]byte
	e := encoding{n: utf8.EncodeRune(first[:], lo)}
	utf8.EncodeRune(last[:], hi)
	for i := range e.n {
		e.bytes[i] = byteRange{first[i], last[i]}
	}
	return append(all, e)
}

// ofEncodings returns the encodings without their first bytes, as many as at says. They are sorted
// and agree on those.
func (w *words) ofEncodings(all []encoding, at int) wordSet {
	if len(all) == 0 {
		return noWords
	}
	if all[0].n == at {
		return emptyWord
	}
	var buffer [32]edge
	edges := buffer[:0]
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].bytes[at] == all[0].bytes[at] {
			n++
		}
		r := all[0].bytes[at]
		edges = append(edges, edge{r.lo, r.hi, w.ofEncodings(all[:n], at+1)})
		all = all[n:]
	}
	return w.intern(false, edges)
}

// States of a UTF-8 decoder: 0 between code points, then what must follow.
const (
	utfTail1, utfTail2, utfTail3       = 1, 2, 3
	utfAfterE0, utfAfterED             = 4, 5
	utfAfterF0, utfAfterF4, utfNoState = 6, 7, 8
)

// utf8Step is the decoder's transition; utfNoState refuses.
func utf8Step(q int, b byte) int {
	in := func(lo, hi byte, next int) int {
		if lo <= b && b <= hi {
			return next
		}
		return utfNoState
	}
	switch q {
	case utfTail1:
		return in(0x80, 0xBF, 0)
	case utfTail2:
		return in(0x80, 0xBF, utfTail1)
	case utfTail3:
		return in(0x80, 0xBF, utfTail2)
	case utfAfterE0:
		return in(0xA0, 0xBF, utfTail1)
	case utfAfterED:
		return in(0x80, 0x9F, utfTail1)
	case utfAfterF0:
		return in(0x90, 0xBF, utfTail2)
	case utfAfterF4:
		return in(0x80, 0x8F, utfTail2)
	}
	return utf8Lead(b)
}

func utf8Lead(b byte) int {
	switch {
	case b < 0x80:
		return 0
	case b < 0xC2 || b > 0xF4:
		return utfNoState
	case b < 0xE0:
		return utfTail1
	case b == 0xE0:
		return utfAfterE0
	case b == 0xED:
		return utfAfterED
	case b < 0xF0:
		return utfTail2
	case b == 0xF0:
		return utfAfterF0
	case b < 0xF4:
		return utfTail3
	}
	return utfAfterF4
}

// utf8Cuts are the bytes at which the decoder's behaviour changes.
var utf8Cuts = BytesOf("\x00\x80\x90\xA0\xC0\xC2\xE0\xE1\xED\xEE\xF0\xF1\xF4\xF5")

// utf8Mask finds from which decoder states every string of the set ends between code points.
func utf8Mask(w *words, final bool, edges []edge) uint8 {
	mask := uint8(0xFF)
	if final {
		mask = 1
	}
	for _, e := range edges {
		for b := int(e.lo); b <= int(e.hi); b = utf8Cuts.from(b + 1) {
			for q := 0; q < 8; q++ {
				if t := utf8Step(q, byte(b)); t == utfNoState || w.nodes[e.next].utf8&(1<<t) == 0 {
					mask &^= 1 << q
				}
			}
		}
	}
	return mask
}
