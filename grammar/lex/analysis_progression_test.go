package lex

import (
	"math/rand/v2"
	"testing"
)

// most is the largest number that sets are compared up to.
const most = 60

func (s *lengthSet) has(n int32) bool { return s.next(n) == n }

// randomLengths is a set of a few progressions, and its numbers.
func randomLengths(rng *rand.Rand) (*lengthSet, [most + 1]bool) {
	s := &lengthSet{exact: true}
	var has [most + 1]bool
	for range rng.IntN(4) {
		p := progression{rng.Int32N(12), 0, 1 + rng.Int32N(6)}
		switch rng.IntN(4) {
		case 0:
			p.last, p.step = p.first, 1
		case 1:
			p.last = huge
		default:
			p.last = p.nth(1 + rng.Int32N(8))
		}
		s.list = append(s.list, p)
		for n := p.first; n <= min(most, p.last); n += p.step {
			has[n] = true
		}
	}
	s.tidy()
	return s, has
}

func sums(x, y [most + 1]bool) (all [most + 1]bool) {
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
			if got.has(int32(n)) && !want[n] || want[n] && got.exact && !got.has(int32(n)) {
				t.Fatalf("%s of %v: %v has %d: %v", what, of, *got, n, !want[n])
			}
		}
	}
	exact := 0
	for range 2000 {
		x, inX := randomLengths(rng)
		y, inY := randomLengths(rng)
		same("itself", x, inX, x)
		both := inX
		for n, has := range inY {
			both[n] = both[n] || has
		}
		same("union", x.union(y), both, x, y)
		same("sums", x.plus(y), sums(inX, inY), x, y)
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
				got := x.times(lo, hi)
				if same("multiples", got, times, x); got.exact {
					exact++
				}
			}
			for k, has := range power {
				times[k] = times[k] || has && n >= lo
			}
			power = sums(power, inX)
		}
		same("any number", x.times(lo, unbounded), times, x)
	}
	if exact < 600 {
		t.Errorf("%d of 2000 are exact", exact)
	}
}
