package lex

import "math/bits"

// ByteSet is a set of byte values.
type ByteSet [4]uint64

// ByteRange returns the set {lo, …, hi}; it is empty when lo > hi.
func ByteRange(lo, hi byte) ByteSet {
	var s ByteSet
	for b := int(lo); b <= int(hi); b++ {
		s.Add(byte(b))
	}
	return s
}

// BytesOf returns the set of the bytes of chars.
func BytesOf(chars string) ByteSet {
	var s ByteSet
	s.AddAll(chars)
	return s
}

// Add puts b into the set.
func (s *ByteSet) Add(b byte) { s[b>>6] |= 1 << (b & 63) }

// AddAll puts the bytes of chars into the set.
func (s *ByteSet) AddAll(chars string) {
	for i := range len(chars) {
		s.Add(chars[i])
	}
}

// Has reports whether b is a member.
func (s *ByteSet) Has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// Union returns the members of either set.
func (s ByteSet) Union(t ByteSet) ByteSet {
	return ByteSet{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]}
}

// from returns the smallest member that is at least b, or 256.
func (s *ByteSet) from(b int) int {
	for ; b < 256; b = (b | 63) + 1 {
		if w := s[b>>6] >> (b & 63); w != 0 {
			return b + bits.TrailingZeros64(w)
		}
	}
	return 256
}

// floor returns the largest member that is at most b; the caller knows that there is one.
func (s *ByteSet) floor(b byte) byte {
	i := int(b >> 6)
	w := s[i] << (63 - b&63) >> (63 - b&63)
	for w == 0 {
		i--
		w = s[i]
	}
	return byte(i<<6 + 63 - bits.LeadingZeros64(w))
}
