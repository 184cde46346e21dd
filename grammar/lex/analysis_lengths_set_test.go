package lex

import (
	"math/rand/v2"
	"testing"
)

// most is the number up to which sets are compared.
const most = 60

func (s *lengthSet) has(n int32) bool { return s.next(n) == n }

// randomLengths is a set of a few numbers, or of all from one on.
func randomLengths(rng *rand.Rand) (*lengthSet, [most + 1]bool) {
	s := &lengthSet{}
	var has [most + 1]bool
	for range rng.IntN(5) {
		s.add(rng.Int32N(20))
	}
	if rng.IntN(4) == 0 {
		s.bits.Set(lengthsFrom(uint(rng.IntN(20))))
	}
	for n := range has {
		has[n] = s.has(int32(n))
	}
	return s, has
}

func sumsOf(x, y [most + 1]bool) (all [most + 1]bool) {
	for i := range x {
		for j := range y {
			if x[i] && y[j] && i+j <= most {
				all[i+j] = true
			}
		}
	}
	return all
}

func TestLengthSet_agreesWithSetsOfNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	same := func(what string, got *lengthSet, want [most + 1]bool, of ...*lengthSet) {
		t.Helper()
		for n := range want {
			if got.has(int32(n)) != want[n] {
				t.Fatalf("%s of %v: %v has %d: %v", what, of, got, n, !want[n])
			}
		}
	}
	for range 2000 {
		x, inX := randomLengths(rng)
		y, inY := randomLengths(rng)
		same("itself", x, inX, x)
		same("sums", x.plus(y), sumsOf(inX, inY), x, y)
		lo, hi := rng.Int32N(20), rng.Int32N(40)
		some := inX
		for n := range some {
			some[n] = inX[n] && int32(n) >= lo && int32(n) <= hi
		}
		same("part", x.within(lo, hi), some, x)
		lo = rng.Int32N(5)
		hi = lo + rng.Int32N(5)
		var times, power [most + 1]bool
		power[0] = true
		for n := range lo + most + 1 {
			if n == hi+1 {
				same("multiples", x.times(lo, hi), times, x)
			}
			for k, has := range power {
				times[k] = times[k] || has && n >= lo
			}
			power = sumsOf(power, inX)
		}
		same("any number", x.times(lo, unbounded), times, x)
	}
}
