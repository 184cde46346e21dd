package lex

// span bounds the sizes of the words of a language. It is exact for expressions without
// intersection, complement and numbers; otherwise the minima are lower bounds, and the maximum is
// an upper bound.
type span struct {
	minBytes, minRunes, minJSON int32
	maxRunes                    int32 // unbounded for no bound
}

const (
	unbounded = -1
	huge      = 1 << 30 // sizes saturate here
)

func addSize(x, y int32) int32 { return int32(min(int64(x)+int64(y), huge)) }

func mulSize(x, n int32) int32 { return int32(min(int64(x)*int64(n), huge)) }

// addMax adds maxima; unbounded stays unbounded.
func addMax(x, y int32) int32 {
	if x == unbounded || y == unbounded {
		return unbounded
	}
	return addSize(x, y)
}

// minCount and maxCount compare upper bounds: unsigned, unbounded is the largest number.

func minCount(x, y int32) int32 { return int32(min(uint32(x), uint32(y))) }
func maxCount(x, y int32) int32 { return int32(max(uint32(x), uint32(y))) }

func (s span) concat(t span) span {
	return span{
		addSize(s.minBytes, t.minBytes), addSize(s.minRunes, t.minRunes), addSize(s.minJSON, t.minJSON),
		addMax(s.maxRunes, t.maxRunes),
	}
}

func (s span) union(t span) span {
	return span{min(s.minBytes, t.minBytes), min(s.minRunes, t.minRunes), min(s.minJSON, t.minJSON), maxCount(s.maxRunes, t.maxRunes)}
}

func (s span) intersect(t span) span {
	return span{max(s.minBytes, t.minBytes), max(s.minRunes, t.minRunes), max(s.minJSON, t.minJSON), minCount(s.maxRunes, t.maxRunes)}
}

func (s span) repeat(lo, hi int32) span {
	u := span{mulSize(s.minBytes, lo), mulSize(s.minRunes, lo), mulSize(s.minJSON, lo), unbounded}
	switch {
	case s.maxRunes == 0 || hi == 0:
		u.maxRunes = 0
	case s.maxRunes != unbounded && hi != unbounded:
		u.maxRunes = mulSize(s.maxRunes, hi)
	}
	return u
}

// runeCost is 1 for a byte that begins a code point, so that the costs of a text add up to its
// length.
func runeCost(b byte) int32 {
	if b&0xC0 == 0x80 {
		return 0
	}
	return 1
}

// jsonCost is the least number of bytes that b takes inside a JSON string literal.
func jsonCost(b byte) int32 {
	switch {
	case b == '"' || b == '\\' || b == '\b' || b == '\f' || b == '\n' || b == '\r' || b == '\t':
		return 2
	case b < 0x20:
		return 6
	}
	return 1
}
