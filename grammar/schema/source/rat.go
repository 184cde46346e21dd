package source

import (
	"math/big"
	"strconv"
	"strings"
)

// maxCount is the largest count told apart: no value that can be generated is longer.
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

// maxExponent bounds the numbers that are taken exactly: 1e999999999 in a schema must not cost a
// gigabyte.
const maxExponent = 2000

// Rat returns the exact value of a number, nil if v is none or its exponent is beyond reason.
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
