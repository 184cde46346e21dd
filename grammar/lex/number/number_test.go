package number

import (
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// member decides by rational arithmetic.
func (spec Spec) member(text string) bool {
	if !plainNumber.MatchString(text) {
		return false
	}
	whole, fraction, broken := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	v, _ := new(big.Rat).SetString(text)
	tooLong := func(digits string, most int) bool { return spec.Spelling == Plain && most > 0 && len(digits) > most }
	switch {
	case spec.Integer == IntegerSyntax && broken, spec.Spelling == Plain && text[0] == '-' && v.Sign() == 0,
		tooLong(whole, spec.MaxIntegerDigits), tooLong(fraction, spec.MaxFractionDigits),
		spec.Min != nil && (v.Cmp(spec.Min) < 0 || v.Cmp(spec.Min) == 0 && spec.ExclusiveMin),
		spec.Max != nil && (v.Cmp(spec.Max) > 0 || v.Cmp(spec.Max) == 0 && spec.ExclusiveMax):
		return false
	}
	return (spec.Integer == NotOnlyIntegers || v.IsInt()) && isMember(v, spec.MultipleOf, spec.NotMultipleOf)
}

func randomSpec(rng *rand.Rand) Spec {
	some := func() *big.Rat {
		if rng.IntN(2) == 0 {
			return nil
		}
		return big.NewRat(rng.Int64N(400)-200, []int64{1, 1, 2, 10, 20, 100}[rng.IntN(6)])
	}
	spec := Spec{Min: some(), Max: some(), ExclusiveMin: rng.IntN(2) == 0, ExclusiveMax: rng.IntN(2) == 0, Integer: Integer(rng.IntN(3)), Spelling: Spelling(rng.IntN(2))}
	divisors := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 5), big.NewRat(3, 1), big.NewRat(12, 1), big.NewRat(5, 4), big.NewRat(1, 100), big.NewRat(25, 1)}
	for range rng.IntN(3) {
		spec.MultipleOf = append(spec.MultipleOf, divisors[rng.IntN(len(divisors))])
	}
	for range max(0, rng.IntN(4)-1) {
		spec.NotMultipleOf = append(spec.NotMultipleOf, divisors[rng.IntN(len(divisors))])
	}
	if rng.IntN(3) == 0 {
		spec.MaxIntegerDigits, spec.MaxFractionDigits = 1+rng.IntN(3), 1+rng.IntN(3)
	}
	return spec
}

// TestSet_agreesWithArithmetic: a text is a member exactly where nothing must follow it, what is a
// member is alive on the way to it, and what must follow at least is no more than what does.
func TestSet_agreesWithArithmetic(t *testing.T) {
	for seed := range uint64(300) {
		spec := randomSpec(rand.New(rand.NewPCG(seed, 1)))
		s, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		w := walker{t: t, set: s, spec: spec}
		w.visit(s.Start(), "", true)
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, spec)
		}
	}
}

type walker struct {
	t    *testing.T
	set  *Set
	spec Spec
}

// visit returns the length of the shortest member that begins with text and has at most five
// characters, or -1.
func (w *walker) visit(s State, text string, read bool) int {
	found := -1
	if w.spec.member(text) {
		found = len(text)
	}
	if got := read && w.set.AtLeast(s) == 0; got != (found >= 0) {
		w.t.Errorf("%q is a member: %v", text, got)
	}
	if !read || w.t.Failed() {
		return found
	}
	if len(text) < 5 {
		for _, b := range []byte("0125.-") {
			next, ok := w.set.Step(s, b)
			if n := w.visit(next, text+string(rune(b)), ok); n >= 0 && (found < 0 || n < found) {
				found = n
			}
		}
	}
	if found >= 0 && (!w.set.Live(s) || int(w.set.AtLeast(s)) > found-len(text)) {
		w.t.Errorf("after %q alive: %v, at least %d follow; %d do", text, w.set.Live(s), w.set.AtLeast(s), found-len(text))
	}
	return found
}

// TestSet_keysAreFewAndAgree: what has one key has one future, and there are finitely many keys.
func TestSet_keysAreFewAndAgree(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		spec := randomSpec(rng)
		s, err := New(spec)
		if err != nil {
			t.Fatal(err)
		}
		first := map[Key]State{}
		for range 60 {
			state := s.Start()
			for range 40 {
				next, ok := s.Step(state, "0123456789.-"[rng.IntN(12)])
				if !ok {
					continue
				}
				if !s.Live(next) {
					break
				}
				known, met := first[next.Key]
				if !met {
					first[next.Key], known = next, next
				}
				if s.Live(known) != s.Live(next) || s.AtLeast(known) != s.AtLeast(next) && (s.AtLeast(known) == 0 || s.AtLeast(next) == 0) {
					t.Fatalf("seed %d: %+v: %v and %v have one key", seed, spec, known.digits, next.digits)
				}
				state = next
			}
		}
		if len(first) > 20_000 {
			t.Errorf("seed %d: %+v: %d keys", seed, spec, len(first))
		}
	}
}

func TestWithoutExponent(t *testing.T) {
	for text, want := range map[string]string{"1e1": "10", "-0.0": "0", "25e-1": "2.5", "1.50": "1.5", "-7": "-7", "1e-3": "0.001", "1e99999": "", "1e9999999999999999999": ""} {
		if got, ok := WithoutExponent(text); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", text, got, ok)
		}
	}
}
