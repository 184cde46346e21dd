package lex

import (
	"math/rand/v2"
	"testing"

	"tenon/grammar/lex/number"
)

// language is a brute-force model: the words over "abc" of at most bruteLength letters.
type language map[string]bool

const bruteLength = 5

func allWords() []string {
	words := []string{""}
	for from, n := 0, 0; n < bruteLength; n++ {
		to := len(words)
		for _, w := range words[from:to] {
			words = append(words, w+"a", w+"b", w+"c")
		}
		from = to
	}
	return words
}

func concatModel(x, y language) language {
	r := language{}
	for u := range x {
		for v := range y {
			if len(u)+len(v) <= bruteLength {
				r[u+v] = true
			}
		}
	}
	return r
}

// randomExpr builds an expression and its model, with the model cut at bruteLength (which all
// operations respect).
func randomExpr(a *Arena, r *rand.Rand, size int) (Expr, language) {
	if size <= 1 {
		leaves := []string{"a", "b", "c", "", "ab", "ca"}
		w := leaves[r.IntN(len(leaves))]
		if r.IntN(4) == 0 {
			return a.Bytes(BytesOf("ab")), language{"a": true, "b": true}
		}
		return a.Literal(w), language{w: true}
	}
	left := 1 + r.IntN(size-1)
	x, mx := randomExpr(a, r, left)
	switch op := r.IntN(7); op {
	case 0, 1:
		y, my := randomExpr(a, r, size-left)
		return a.Concat(x, y), concatModel(mx, my)
	case 2, 3:
		y, my := randomExpr(a, r, size-left)
		both := language{}
		for w := range mx {
			both[w] = true
		}
		for w := range my {
			both[w] = true
		}
		return a.Union(x, y), both
	case 4:
		y, my := randomExpr(a, r, size-left)
		both := language{}
		for w := range mx {
			if my[w] {
				both[w] = true
			}
		}
		return a.Intersect(x, y), both
	case 5:
		others := language{}
		for _, w := range allWords() {
			if !mx[w] {
				others[w] = true
			}
		}
		return a.Intersect(a.Complement(x), a.Repeat(a.Bytes(BytesOf("abc")), 0, -1)), others
	default:
		return randomRepeat(a, r, x, mx)
	}
}

func randomRepeat(a *Arena, r *rand.Rand, x Expr, mx language) (Expr, language) {
	lo := r.IntN(3)
	hi := lo + r.IntN(3)
	top := hi
	if r.IntN(3) == 0 {
		hi, top = -1, lo+bruteLength
	}
	sum, power := language{}, language{"": true}
	for k := 0; k <= top; k++ {
		if k >= lo {
			for w := range power {
				sum[w] = true
			}
		}
		power = concatModel(power, mx)
	}
	return a.Repeat(x, lo, hi), sum
}

func TestRandomExpressions_agreeWithEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := allWords()
	for round := 0; round < 1500; round++ {
		a := NewArena(Limits{})
		x, model := randomExpr(a, r, 2+r.IntN(9))
		start := a.Start(x)
		for _, w := range words {
			if got := a.Accepting(a.Walk(start, w)); got != model[w] {
				t.Fatalf("round %d: %q accepted %v, want %v", round, w, got, model[w])
			}
		}
		checkDistances(t, a, start, model)
		if a.Err() != nil {
			t.Fatal(a.Err())
		}
	}
}

func checkDistances(t *testing.T, a *Arena, start State, model language) {
	t.Helper()
	best := bruteLength + 1
	for w := range model {
		best = min(best, len(w))
	}
	if start == Dead {
		if best <= bruteLength {
			t.Fatalf("dead, but it has a word of length %d", best)
		}
		return
	}
	d := a.MinBytes(start)
	if best <= bruteLength && d != best || best > bruteLength && d <= bruteLength {
		t.Fatalf("distance %d, want %d", d, best)
	}
	if w := a.shortest(start); len(w) != d || !a.Accepting(a.Walk(start, string(w))) {
		t.Fatalf("shortest word %q, distance %d", w, d)
	}
}

func TestRandomPairs_subsetAndOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := 0; round < 1500; round++ {
		a := NewArena(Limits{})
		x, mx := randomExpr(a, r, 1+r.IntN(5))
		y, my := randomExpr(a, r, 1+r.IntN(5))
		subset, overlap := true, false
		for w := range mx {
			subset, overlap = subset && my[w], overlap || my[w]
		}
		gotSub, err1 := a.IsEmpty(a.Intersect(x, a.Complement(y)))
		apart, err2 := a.IsEmpty(a.Intersect(x, y))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		// Words beyond the model's length can only refute a subset and establish an
		// overlap.
		if gotSub && !subset || overlap && apart {
			t.Fatalf("round %d: subset %v (model %v), overlap %v (model %v)", round, gotSub, subset, !apart, overlap)
		}
	}
}

// TestArena_anyStringAndNumberAreKnown: every arena begins with the states that nearly every mask
// needs.
func TestArena_anyStringAndNumberAreKnown(t *testing.T) {
	a := NewArena(Limits{})
	for _, integer := range []number.Integer{number.NotOnlyIntegers, number.IntegerSyntax} {
		e, err := a.Number(number.Spec{Integer: integer})
		if err != nil || !a.Accepting(a.Walk(a.Start(e), "-120")) {
			t.Error(err)
		}
	}
	for escapes := range EscapesCommon + 1 {
		s := a.StartString(a.AnyText(), escapes)
		for _, b := range []byte(`aé日\u00e9\n`) {
			s = a.StepString(s, b)
		}
	}
	if n := a.rowCount; n > 0 {
		t.Errorf("%d rows are made", n)
	}
}

// TestDeriveMemo_keepsWhatIsAskedFor: an entry that is asked for now and then stays, however many
// are added. The others are forgotten, so that the memo does not grow.
func TestDeriveMemo_keepsWhatIsAskedFor(t *testing.T) {
	var m deriveMemo
	const hot, to, every = 1 << 30, 7, 10_000
	m.put(hot, to)
	found := 0
	for i := range 4 * maxDerived {
		m.put(uint64(i+1), empty)
		if i%every == 0 {
			if d, ok := m.get(hot); ok && d == to {
				found++
			}
		}
	}
	if want := 4 * maxDerived / every; found != want {
		t.Errorf("what is asked for was found %d times of %d", found, want)
	}
	if _, ok := m.get(1); ok {
		t.Error("what nobody asked for is kept")
	}
	if _, ok := m.get(4 * maxDerived); !ok {
		t.Error("what was added last is gone")
	}
	if n := m.young.count + m.old.count; n > maxDerived {
		t.Errorf("%d are kept, at most %d may be", n, maxDerived)
	}
}
