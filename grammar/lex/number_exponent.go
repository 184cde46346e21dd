package lex

import (
	"strconv"

	"tenon/grammar/lex/number"
)

// exponent returns the spellings of an exponent between lo and hi, after its e: [+-]?[0-9]+.
func (a *Arena) exponent(lo, hi int) Expr {
	if lo > hi {
		return empty
	}
	key := [2]int{lo, hi}
	if e, ok := a.numbers.exponents[key]; ok {
		return e
	}
	var parts []Expr
	if hi >= 0 {
		parts = append(parts, a.concat(a.optional(a.literal("+")), a.padded(max(lo, 0), hi)))
	}
	if lo <= 0 {
		most := -lo
		if lo == number.Lowest {
			most = number.Highest
		}
		parts = append(parts, a.concat(a.literal("-"), a.padded(max(-hi, 0), most)))
	}
	e := a.union(parts...)
	a.numbers.exponents[key] = e
	return e
}

// padded returns the natural numbers from lo to hi (number.Highest for no bound), with leading
// zeros.
func (a *Arena) padded(lo, hi int) Expr {
	zeros := a.repeat(a.literal("0"), 0, unbounded)
	digit := a.digitsBetween('0', '9')
	var parts []Expr
	if lo == 0 {
		parts = append(parts, a.literal("0"))
		lo = 1
	}
	top := hi
	if hi == number.Highest {
		n := len(strconv.Itoa(lo))
		parts = append(parts, a.concat(a.digitsBetween('1', '9'), a.repeat(digit, int32(n), unbounded)))
		top = power(n) - 1
	}
	for lo <= top {
		last := min(top, power(len(strconv.Itoa(lo)))-1)
		parts = append(parts, a.equallyLong(strconv.Itoa(lo), strconv.Itoa(last)))
		lo = last + 1
	}
	return a.concat2(zeros, a.union(parts...))
}

func power(n int) int {
	p := 1
	for range n {
		p *= 10
	}
	return p
}

func (a *Arena) digitsBetween(lo, hi byte) Expr {
	return a.leaf(a.words.ofBytes(ByteRange(lo, hi)))
}

// equallyLong returns the numbers from lo to hi, which have the same number of digits.
func (a *Arena) equallyLong(lo, hi string) Expr {
	if lo == "" {
		return epsilon
	}
	if lo[0] == hi[0] {
		return a.concat2(a.literal(lo[:1]), a.equallyLong(lo[1:], hi[1:]))
	}
	n := len(lo) - 1
	least, most := strconv.Itoa(power(n))[1:], strconv.Itoa(power(n+1) - 1)[1:]
	middle := a.concat2(a.digitsBetween(lo[0]+1, hi[0]-1), a.repeat(a.digitsBetween('0', '9'), int32(n), int32(n)))
	return a.union(
		a.concat2(a.literal(lo[:1]), a.equallyLong(lo[1:], most)), middle,
		a.concat2(a.literal(hi[:1]), a.equallyLong(least, hi[1:])))
}
