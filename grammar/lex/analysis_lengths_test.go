package lex

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"tenon/grammar/lex/ecma"
)

// randomPlain builds an expression over a and é.
func randomPlain(a *Arena, rng *rand.Rand, depth int) Expr {
	if depth == 0 || rng.IntN(5) == 0 {
		switch rng.IntN(5) {
		case 0:
			return a.AnyRune()
		case 1:
			return a.Literals(randomWord(rng), randomWord(rng))
		case 2:
			return a.Runes(ecma.Range{Lo: 'é', Hi: 'é'})
		}
		return a.Literal(randomWord(rng))
	}
	x, y := randomPlain(a, rng, depth-1), randomPlain(a, rng, depth-1)
	switch rng.IntN(3) {
	case 0:
		return a.Union(x, y)
	case 1:
		return a.Concat(x, y)
	}
	lo := rng.IntN(4)
	return a.Repeat(x, lo, lo+rng.IntN(4)-rng.IntN(2)*9)
}

func randomWord(rng *rand.Rand) string {
	return strings.Repeat("a", rng.IntN(3)) + strings.Repeat("é", rng.IntN(3))
}

// longest is the length up to which words are searched.
const longest = 40

// lengthsByWalking finds the lengths of words by walking all texts over a and é, one length after
// the other.
func lengthsByWalking(a *Arena, start State) (found [longest + 1]bool) {
	now := map[State]bool{start: true}
	for n := range found {
		next := map[State]bool{}
		for s := range now {
			found[n] = found[n] || a.Accepting(s)
			for _, text := range []string{"a", "é"} {
				if t := a.Walk(s, text); t != Dead {
					next[t] = true
				}
			}
		}
		now = next
	}
	return found
}

func TestLengthsOf_areThoseOfTheWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	inexact := 0
	for range 1500 {
		a := NewArena(Limits{})
		e := randomPlain(a, rng, 1+rng.IntN(4))
		if lo := rng.IntN(20); rng.IntN(3) == 0 {
			e = a.Union(a.Intersect(e, a.Repeat(a.AnyRune(), lo, lo+rng.IntN(20))), a.Literal(randomWord(rng)))
		}
		s := a.lengthsOf(e)
		if !s.exact {
			inexact++
		}
		for n, found := range lengthsByWalking(a, a.Start(e)) {
			if got := s.has(int32(n)); got && !found || found && !got && s.exact {
				t.Fatalf("%s: length %d is %v, %v", a.describeExpr(e), n, got, s)
			}
		}
		if n := a.MinBytes(a.Start(e)); a.Start(e) != Dead && a.shortest(a.Start(e)) == nil {
			t.Fatalf("%s: no word of %d bytes", a.describeExpr(e), n)
		}
	}
	if inexact > 500 {
		t.Errorf("%d of 1500 are not exact", inexact)
	}
}

// TestReachOf_holdsBehindShortTexts walks all texts over a and é.
func TestReachOf_holdsBehindShortTexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	sure := 0
	for range 1500 {
		a := NewArena(Limits{})
		e := randomPlain(a, rng, 1+rng.IntN(4))
		if lo := rng.IntN(20); rng.IntN(3) == 0 {
			e = a.Intersect(e, a.Repeat(a.AnyRune(), lo, lo+rng.IntN(20)-rng.IntN(2)*40))
		}
		if a.Start(e) == Dead {
			continue
		}
		runes := rng.IntN(8) - 1
		l := a.reachOf(abstractExpr{e, int32(runes)})
		if l.low < huge {
			sure++
		}
		now := map[State]bool{a.Start(e): true}
		for n := 0; n <= max(runes, 0); n++ {
			next := map[State]bool{}
			for s := range now {
				checkReach(t, a, l, e, a.lengthsOf(a.Expr(s)), int32(n))
				for _, text := range []string{"a", "é", "x"} {
					if to := a.Walk(s, text); to != Dead {
						next[to] = true
					}
				}
			}
			now = next
		}
	}
	if sure < 700 {
		t.Errorf("of %d only something is sure", sure)
	}
}

func checkReach(t *testing.T, a *Arena, l reach, e Expr, s *lengthSet, read int32) {
	t.Helper()
	if !s.exact {
		return
	}
	for lo := range int32(50) {
		for _, hi := range []int32{lo, lo + 1, lo + 3, lo + 10, 60, unbounded} {
			if !l.intersects(lo, hi, read) {
				continue
			}
			if n := s.next(max(0, lo-read)); n >= huge || hi != unbounded && n+read > hi {
				t.Fatalf("%s: %v promises %d to %d, but behind %d there are %v", a.describeExpr(e), l, lo, hi, read, s)
			}
		}
	}
}

// describeExpr writes an expression for people.
func (a *Arena) describeExpr(e Expr) string {
	n := a.at(e)
	var parts []string
	for _, x := range n.args {
		parts = append(parts, a.describeExpr(x))
	}
	switch n.kind {
	case kindWords:
		if a.words.nodes[n.a].lone {
			return a.words.single(wordSet(n.a))
		}
		return "<words " + strings.Repeat("?", int(n.span.maxRunes)) + ">"
	case kindConcat:
		return a.describeExpr(Expr(n.a)) + "·" + a.describeExpr(Expr(n.b))
	case kindRepeat:
		return "(" + a.describeExpr(Expr(n.a)) + "){" + fmt.Sprint(n.min) + "," + fmt.Sprint(n.max) + "}"
	case kindUnion:
		return "(" + strings.Join(parts, "|") + ")"
	}
	return "(" + strings.Join(parts, "&") + ")"
}

// TestIsEmpty_longTextsTakeNoSearch: what can be repeated has words beyond every length.
func TestIsEmpty_longTextsTakeNoSearch(t *testing.T) {
	for pattern, long := range map[string]bool{`^([a-z][0-9])+$`: true, `^(a{3,}|b)c$`: true, `^(a|b+){7}$`: true, `^(a|bc){9}$`: false, `^a{900}$`: false} {
		a := NewArena(Limits{})
		e, err := a.Regex(pattern)
		if err != nil {
			t.Fatal(err)
		}
		none, err := a.IsEmpty(a.Intersect(e, a.Repeat(a.AnyRune(), 10_000, -1)))
		if err != nil || none == long || a.Asked() > 10 {
			t.Errorf("%s: empty %t, %v, after %d derivatives", pattern, none, err, a.Asked())
		}
	}
}

// TestHolds_isWhatAWalkSays, of all texts that are short.
func TestHolds_isWhatAWalkSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for range 300 {
		a := NewArena(Limits{})
		x, y := randomPlain(a, rng, 2), randomPlain(a, rng, 2)
		for _, e := range []Expr{x, a.Union(x, a.Complement(y)), a.Intersect(x, y, a.Complement(a.Literals("aé", "a"))), a.Intersect(a.AnyText(), a.Complement(x))} {
			for n := range 6 {
				for bits := range 1 << n {
					text := ""
					for i := range n {
						text += []string{"a", "é"}[bits>>i&1]
					}
					if want := a.Accepting(a.Walk(a.Start(e), text)); a.Holds(e, text) != want {
						t.Fatalf("%q: want %t", text, want)
					}
				}
			}
		}
	}
}
