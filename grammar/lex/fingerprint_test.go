package lex

import "testing"

// TestFingerprints_sayWhatIsBuiltAlike: expressions of two arenas have one fingerprint if they are
// of one pattern, whatever else the arenas hold, and different ones if they are of different
// languages.
func TestFingerprints_sayWhatIsBuiltAlike(t *testing.T) {
	all := append([]string{`^(a|b|c{2,3}d)*$`, `^(?!ab).*$`, `^x{2,4}$`, `^x{2,5}$`, `[äö]`, ``}, patterns...)
	of := func(a *Arena, pattern string) Fingerprint {
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		return NewFingerprints(a).Of(e)
	}
	one, two := NewArena(Limits{}), NewArena(Limits{})
	for i := range all { // in the other order, so that the numbers of the expressions differ
		of(two, all[len(all)-1-i])
	}
	seen := map[Fingerprint]string{}
	for _, pattern := range all {
		p := of(one, pattern)
		if p != of(two, pattern) {
			t.Errorf("%s: the fingerprint depends on the arena", pattern)
		}
		if other, ok := seen[p]; ok {
			x, _ := one.Regex(pattern)
			y, _ := one.Regex(other)
			if x != y {
				t.Errorf("%s and %s have one fingerprint", pattern, other)
			}
		}
		seen[p] = pattern
	}
	for _, name := range []string{"date-time", "uri", "email"} {
		x, _ := one.Format(name)
		y, _ := two.Format(name)
		if NewFingerprints(one).Of(x) != NewFingerprints(two).Of(y) {
			t.Errorf("format %s: the fingerprint depends on the arena", name)
		}
	}
}
