package lex

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// TestHostilePatterns_answerWithinLimits walks patterns that make backtracking or eager automata
// explode. Work is counted in states and expressions, so that the test says the same on any
// machine.
func TestHostilePatterns_answerWithinLimits(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		accepted      bool
	}{
		{`(a+)+$`, strings.Repeat("a", 5000) + "b", false},
		{`^(a|a)*b{1000}$`, strings.Repeat("a", 1000) + strings.Repeat("b", 1000), true},
		{`^.{5000}$`, strings.Repeat("é", 5000), true},
		{`^(x{0,1000}){0,1000}$`, strings.Repeat("x", 5000), true},
		{`^(a?){1000}a{1000}$`, strings.Repeat("a", 2000), true},
		{`^` + strings.Repeat(`[a-z]?`, 500) + strings.Repeat(`[a-z]`, 500) + `$`, strings.Repeat("x", 700), true},
		{`^(?!.*(a.{15}b)).*(c.{15}d).*$`, strings.Repeat("abcd", 30), false},
		{`^(a*b*)*c$`, strings.Repeat("ab", 2000) + "c", true},
		{`^(.*a){20}$`, strings.Repeat("ab", 1000), false},
		{`a.{0,5000}b`, strings.Repeat("a", 5000), false},
		{`^((a{0,100}){0,100}){0,100}$`, strings.Repeat("a", 5000), true},
		{`^(?!.*foo)(?!.*bar)(?=.*baz).{3,1000}$`, strings.Repeat("fo", 400) + "baz", true},
		{`^(([a-z])+.)+[A-Z]([a-z])+$`, strings.Repeat("a", 3000), false},
		{`^(.+)*(.+)*(.+)*x$`, strings.Repeat("y", 3000) + "x", true},
	} {
		a := NewArena(Limits{Exprs: 120_000, States: 50_000})
		e, err := a.Regex(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		if got := a.Accepting(a.Walk(a.Start(e), c.text)); got != c.accepted || a.Err() != nil {
			t.Errorf("%s: accepted %v, want %v; %v", c.pattern, got, c.accepted, a.Err())
		}
	}
}

func TestLimits_areTypedErrors(t *testing.T) {
	var limit *LimitError
	a := NewArena(Limits{Exprs: 200})
	if _, err := a.Regex(strings.Repeat("[ab]c", 300)); !errors.As(err, &limit) || limit.What != "expressions" {
		t.Errorf("expressions: %v", err)
	}
	if a.Err() != nil {
		t.Errorf("a failed attempt left %v behind", a.Err())
	}
	a = NewArena(Limits{Work: 100})
	x, _ := a.Regex(`^[ab]*a[ab]{12}$`)
	y, _ := a.Regex(`^[ab]*b[ab]{12}$`)
	if _, err := a.IsEmpty(a.Intersect(a.Repeat(a.Bytes(BytesOf("ab")), 13, -1), a.Complement(a.Union(x, y)))); !errors.As(err, &limit) {
		t.Errorf("work: %v", err)
	}
	a = NewArena(Limits{States: 10})
	if a.Walk(a.Start(a.Repeat(a.AnyRune(), 50, 50)), strings.Repeat("x", 40)) != Dead || !errors.As(a.Err(), &limit) {
		t.Errorf("states: %v", a.Err())
	}
	if _, err := a.Regex(strings.Repeat("(", 1000)); !errors.As(err, &limit) {
		t.Errorf("depth: %v", err)
	}
	if _, err := a.Regex(strings.Repeat("a", 100_000)); !errors.As(err, &limit) {
		t.Errorf("length: %v", err)
	}
}

// TestWalk_beyondTheLimitAcceptsNothingThatIsNotThere: beyond a limit a walk ends in Dead, and Err
// says why. If the inside of a complement was given up, the complement must not accept more.
func TestWalk_beyondTheLimitAcceptsNothingThatIsNotThere(t *testing.T) {
	hard := `^[ab]*a[ab]{12}$`
	whole := NewArena(Limits{})
	limited := 0
	for work := 10; work < 500; work += 60 {
		a := NewArena(Limits{Work: work})
		var starts [2]State
		for i, x := range []*Arena{a, whole} {
			e, err := x.Regex(hard)
			if err != nil {
				t.Fatal(err)
			}
			f, err := x.Regex(`^[ab]*b[ab]{13}$`)
			if err != nil {
				t.Fatal(err)
			}
			starts[i] = x.Start(x.Intersect(x.Complement(e), x.Complement(f), x.AnyText()))
		}
		for n := range 1 << 6 {
			text := strings.NewReplacer("0", "a", "1", "b").Replace(strconv.FormatInt(int64(n)*509+1<<15, 2))
			if a.Accepting(a.Walk(starts[0], text)) && !whole.Accepting(whole.Walk(starts[1], text)) {
				t.Fatalf("with %d derivatives a question, %q is accepted", work, text)
			}
		}
		if a.Err() != nil {
			limited++
		}
	}
	if limited == 0 || whole.Err() != nil {
		t.Errorf("no limit was met, or %v by the arena that has none", whole.Err())
	}
}

// TestWalk_whatIsTooHardToDecideIsNotRefused: the work for one question does not suffice to find
// the least length that is a multiple of five numbers.
func TestWalk_whatIsTooHardToDecideIsNotRefused(t *testing.T) {
	a := NewArena(Limits{Work: 2000})
	e, err := a.Regex("^(?=([ab]{2})*$)(?=([ab]{3})*$)(?=([ab]{5})*$)(?=([ab]{7})*$)(?=([ab]{11})*$).+$")
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if _, err := a.IsEmpty(e); !errors.As(err, &limit) {
		t.Errorf("whether there are words: %v", err)
	}
	if _, err := a.MinRunesOf(e); !errors.As(err, &limit) {
		t.Errorf("the shortest: %v", err)
	}
	start := a.Start(e)
	if word := strings.Repeat("ab", 1155); !a.Accepting(a.Walk(start, word)) || a.Accepting(a.Walk(start, word[1:])) {
		t.Error("words are refused, or others accepted")
	}
	if a.Full() {
		t.Error("questions have filled the arena")
	}
}

// TestRegex_manyLookaheadsTakeFewStates: the search satisfies one lookahead after the other, and
// does not try all orders.
func TestRegex_manyLookaheadsTakeFewStates(t *testing.T) {
	for _, c := range []struct {
		pattern string
		exprs   int // at most
	}{
		{`^(?=.*[A-Z])(?=.*\d)(?=.*[^\w])(?=.*[a-z])(?=.*x)(?=.*y)(?=.*z)(?=.*q)(?=.*r)(?=.*s)(?=.*t)(?=.*u).{12,64}$`, 20_000},
		{`(?=.*a.{30}b).*c.{20}d`, 5_000},
		{`(?=.*(?=.*(é|a).*x)((\S){30,32}|(\d){3,}))((.){3,3}){10,12}((a|[A-Z])){30,}$`, 30_000},
	} {
		a := NewArena(Limits{})
		e, err := a.Regex(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if s := a.Walk(a.Start(e), "default clack ลาดMG**)(ID Br"); s == Dead || len(a.nodes) > c.exprs {
			t.Errorf("%s: %d expressions, alive %v", c.pattern, len(a.nodes), s != Dead)
		}
	}
}

// TestStart_looksAtSharedPartsOnce: derivatives of nested loops with lookaheads share parts along
// exponentially many paths.
func TestStart_looksAtSharedPartsOnce(t *testing.T) {
	a := NewArena(Limits{})
	e, err := a.Regex(`(((?=.*(?!.*[a-z])b)([A-Z]|x)){5,10}){30,31}`)
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if _, err := a.IsEmpty(a.Intersect(e, a.Repeat(a.AnyRune(), 500, -1))); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
}

// TestIsEmpty_afterALimitInsideOfAComplement: if the work runs out inside of a complement, the
// derivative accepts too much. It must not count as live.
func TestIsEmpty_afterALimitInsideOfAComplement(t *testing.T) {
	for work := range 40 {
		a := NewArena(Limits{})
		loop := a.Repeat(a.Literal("c"), 0, -1)
		x := a.Concat(a.Literal("a"), loop, a.Literal("d"))
		same := a.Union(a.Literal("ad"), a.Concat(a.Literal("ac"), loop, a.Literal("d")))
		a.derive(x, 'a') // is remembered, so that it takes no work
		e := a.intersect(x, a.not(same))
		a.work = work
		if a.live(e) {
			t.Fatalf("with %d derivatives left an empty language has a word", work)
		}
	}
}

// TestIsEmpty_guessesWithinItsBound: one derivative of many alternatives makes more expressions
// than a question may, whether a search takes it or the guess before the search.
func TestIsEmpty_guessesWithinItsBound(t *testing.T) {
	limits := Limits{Exprs: 4000}
	a := NewArena(limits)
	loop := a.Repeat(a.Literal("b"), 0, -1)
	var parts []Expr
	for i := range 400 {
		parts = append(parts, a.Concat(a.Literal("a"+strconv.Itoa(i)), loop, a.Literal("c")))
	}
	e := a.Intersect(a.Union(parts...), a.Complement(a.Concat(loop, a.Literal("c"))))
	a.liveByte = 'a'
	before := len(a.nodes)
	var limit *LimitError
	if _, err := a.IsEmpty(e); !errors.As(err, &limit) {
		t.Errorf("within its bound it cannot be decided, but the error is %v", err)
	}
	if made := len(a.nodes) - before; made > limits.Exprs/exprsPerQuestion {
		t.Errorf("%d expressions were made, at most %d may be", made, limits.Exprs/exprsPerQuestion)
	}
}
