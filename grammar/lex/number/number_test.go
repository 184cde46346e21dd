package number

import (
	"math/big"
	"strings"
	"testing"
)

// specs are sets of few numbers, with their members among the multiples of a quarter from -3 to
// 30.
var specs = []struct {
	spec Spec
	has  func(v *big.Rat) bool
}{
	{Spec{}, func(*big.Rat) bool { return true }},
	{Spec{Min: big.NewRat(-1, 1), Max: big.NewRat(5, 2)}, func(v *big.Rat) bool { return v.Cmp(big.NewRat(-1, 1)) >= 0 && v.Cmp(big.NewRat(5, 2)) <= 0 }},
	{Spec{Min: big.NewRat(1, 1), Max: big.NewRat(20, 1), ExclusiveMin: true, ExclusiveMax: true}, func(v *big.Rat) bool { return v.Cmp(big.NewRat(1, 1)) > 0 && v.Cmp(big.NewRat(20, 1)) < 0 }},
	{Spec{Integer: IntegerValues, NotMultipleOf: []*big.Rat{big.NewRat(3, 1)}}, func(v *big.Rat) bool { return v.IsInt() && !new(big.Rat).Quo(v, big.NewRat(3, 1)).IsInt() }},
	{Spec{MultipleOf: []*big.Rat{big.NewRat(3, 4)}, Max: big.NewRat(12, 1)}, func(v *big.Rat) bool {
		return new(big.Rat).Quo(v, big.NewRat(3, 4)).IsInt() && v.Cmp(big.NewRat(12, 1)) <= 0
	}},
	{Spec{Integer: IntegerSyntax, Max: big.NewRat(7, 1), Spelling: SpellPlain}, func(v *big.Rat) bool { return v.IsInt() && v.Cmp(big.NewRat(7, 1)) <= 0 }},
}

// read leads a set through a number without an exponent.
func read(s *Set, k State, text string) (State, Digits, bool) {
	_, d := s.Start()
	ok := true
	for i := 0; i < len(text) && ok; i++ {
		switch text[i] {
		case '-':
			k, ok = s.Minus(k)
		case '.':
			k, ok = s.Point(k)
		default:
			k, d, ok = s.Digit(k, d, text[i]-'0')
		}
	}
	return k, d, ok
}

// TestSet_holdsWhatItsSpecSays. Every prefix of a member is live, and AtLeast is a lower bound
// there.
func TestSet_holdsWhatItsSpecSays(t *testing.T) {
	for i, c := range specs {
		s, err := New(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		start, _ := s.Start()
		for n := int64(-12); n < 120; n++ {
			v := big.NewRat(n, 4)
			text := strings.TrimSuffix(v.FloatString(2), ".00")
			end, _, ok := read(s, start, text)
			if got := ok && s.Accepts(end); got != c.has(v) {
				t.Errorf("spec %d: %s is %v", i, text, got)
			}
			for m := range len(text) {
				if begun, d, ok := read(s, start, text[:m]); c.has(v) && (!ok || !s.Live(begun, d) || int(s.AtLeast(begun, d)) > len(text)-m) {
					t.Errorf("spec %d: %s does not go on to %s", i, text[:m], text)
				}
			}
		}
	}
}
