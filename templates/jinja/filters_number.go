package jinja

import (
	"math"
	"math/big"
	"strconv"
)

func filterInt(rt *runtime, a []Value) Value {
	switch v := a[0].(type) {
	case *undefined:
		v.fail()
	case Int, bigInt, Bool:
		return intOf(v)
	case Float:
		if math.IsInf(float64(v), 0) {
			throw(typeOverflow, "cannot convert float infinity to integer")
		}
		if !math.IsNaN(float64(v)) {
			return newInt(bigFromFloat(float64(v)))
		}
	case *Str:
		rt.spend(len(v.text) / bytesPerStep)
		base, ok := asInt(a[2])
		if ok && base != 1 && base >= 0 && base <= 36 {
			if n, ok := parseInt(v.text, int(base)); ok {
				return n
			}
		}
		if f, ok := parseFloat(v.text); ok && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return newInt(bigFromFloat(f))
		}
	}
	return a[1]
}

func filterFloat(rt *runtime, a []Value) Value {
	switch v := a[0].(type) {
	case *undefined:
		v.fail()
	case *Str:
		rt.scan(v)
		if f, ok := parseFloat(v.text); ok {
			return Float(f)
		}
	default:
		if f, ok := asFloat(v); ok {
			return Float(f)
		}
	}
	return a[1]
}

func filterRound(rt *runtime, a []Value) Value {
	rt.hashable(a[2])
	how, ok := a[2].(*Str)
	if !ok || how.text != "common" && how.text != "ceil" && how.text != "floor" {
		throw(typeFilterArg, "method must be common, ceil or floor")
	}
	if how.text == "common" {
		return rt.round(a[0], a[1])
	}
	scale := rt.binary("**", Int(10), a[1])
	scaled := rt.binary("*", a[0], scale)
	if isInt(scaled) { // which is its own floor
		return rt.binary("/", scaled, scale)
	}
	f, ok := asFloat(scaled)
	if !ok {
		throw(typeType, "must be real number, not %s", a[0].typeName())
	}
	if how.text == "ceil" {
		f = math.Ceil(f)
	} else {
		f = math.Floor(f)
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		throw(typeOverflow, "cannot convert float infinity to integer")
	}
	return rt.binary("/", newInt(bigFromFloat(f)), scale)
}

// round is Python's round(v, digits): to even where v is exactly between two.
func (rt *runtime) round(v, digits Value) Value {
	if digits == None {
		digits = Int(0)
	}
	switch n := v.(type) {
	case Float:
		d := decimals(digits)
		rt.expand(float64(n), d)
		return roundFloat(float64(n), d)
	case Int, bigInt, Bool:
		d := decimals(digits)
		if d >= 0 {
			return intOf(v)
		}
		if -d > maxIntDigits {
			return Int(0)
		}
		return roundInt(v, -d)
	}
	throw(typeType, "type %s doesn't define __round__ method", v.typeName())
	return nil
}

// decimals is the count of digits to round to. One beyond the machine's integers rounds as any
// that is further than a number reaches.
func decimals(v Value) int {
	if isInt(v) {
		return sliceBound(v)
	}
	return wantInt(v)
}

// expand counts writing a float with so many decimals, for which all digits of its power of two
// are made. Beyond maxDecimals nothing is left to make.
func (rt *runtime) expand(f float64, decimals int) {
	const maxDecimals = 400
	_, exponent := math.Frexp(f)
	rt.spend((max(exponent, -exponent) + min(max(decimals, -decimals), maxDecimals)) / bytesPerStep)
}

func roundFloat(f float64, d int) Value {
	if math.IsInf(f, 0) || math.IsNaN(f) || d > 400 {
		return Float(f)
	}
	if d >= 0 {
		r, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', d, 64), 64)
		return Float(r)
	}
	if d < -310 {
		return Float(math.Copysign(0, f))
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-d)), nil)
	q := new(big.Rat).Quo(new(big.Rat).SetFloat64(f), new(big.Rat).SetInt(scale))
	out, _ := new(big.Rat).SetInt(new(big.Int).Mul(nearest(q), scale)).Float64()
	return Float(math.Copysign(out, f))
}

func roundInt(v Value, d int) Value {
	n, _ := asBig(v)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d)), nil)
	q := nearest(new(big.Rat).SetFrac(n, scale))
	return newInt(q.Mul(q, scale))
}

// nearest is the integer nearest to q, the even one of two.
func nearest(q *big.Rat) *big.Int {
	twice := new(big.Rat).Mul(q, big.NewRat(2, 1))
	sum := new(big.Rat).Add(twice, big.NewRat(1, 1)) // floor(q + 1/2)
	den := new(big.Int).Mul(sum.Denom(), big.NewInt(2))
	down, rem := new(big.Int).DivMod(sum.Num(), den, new(big.Int))
	if rem.Sign() == 0 && down.Bit(0) == 1 {
		down.Sub(down, big.NewInt(1))
	}
	return down
}
