package source

import (
	"math/big"
	"strconv"
	"strings"
)

// maxCount is the largest count: no value that can be generated is longer.
const maxCount = 1 << 40

// Count returns the integer that v is, clamped to maxCount.
func Count(v *Value) (int, bool) {
	r := Rat(v)
	if r == nil || !r.IsInt() {
		return 0, false
	}
	if !r.Num().IsInt64() || r.Num().Int64() > maxCount {
		if r.Sign() < 0 {
			return -1, true
		}
		return maxCount, true
	}
	return int(r.Num().Int64()), true
}

// maxExponent bounds the exponents that Rat takes: 1e999999999 must not take a gigabyte.
const maxExponent = 2000

// Rat returns the exact value of a number; nil if v is not a number, or its exponent is too large.
func Rat(v *Value) *big.Rat {
	if v.Kind != Number {
		return nil
	}
	if i := strings.IndexAny(v.Text, "eE"); i >= 0 {
		if n, err := strconv.Atoi(v.Text[i+1:]); err != nil || max(n, -n) > maxExponent {
			return nil
		}
	}
	r, _ := new(big.Rat).SetString(v.Text)
	return r
}
