package draft

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func tokens(text string) []int32 {
	var out []int32
	for _, b := range []byte(text) {
		out = append(out, int32(b))
	}
	return out
}

func said(text string) *Text {
	t := NewText(len(text))
	t.Add(tokens(text)...)
	return t
}

func words(g Guess) string {
	var out []byte
	for _, id := range g.Tokens {
		out = append(out, byte(id))
	}
	return string(out)
}

func TestContinue_takesTheLongestRunAndOfThoseTheLatest(t *testing.T) {
	for _, c := range []struct {
		text, want string
		run        int
	}{
		{"path/to/file: see path/to/", "file", 8},
		{"abcX abcY abc", "Y ab", 4}, // with the blank
		{"1abcX 2abcY 1abc", "X 2a", 4},
		{"nothing twice", "", 0},
		{"ab", "", 0},
		{"aaaaaa", "a", 5},
	} {
		text := said(c.text)
		g := text.Continue(tokens(c.text), Guess{}, 4)
		if words(g) != c.want || g.Run != c.run {
			t.Errorf("%q: %q after a run of %d", c.text, words(g), g.Run)
		}
	}
}

func TestContinue_inWhatOthersSaid(t *testing.T) {
	g := said("call list_issues now").Continue(tokens("I call list"), Guess{}, 7)
	if words(g) != "_issues" || g.Run != 9 {
		t.Errorf("%q after a run of %d", words(g), g.Run)
	}
}

// However often a run was said, a guess that came true goes on where it was.
func TestContinue_goesOnWhereTheGuessBeforeWas(t *testing.T) {
	lines, line := "", ""
	for i := range 2 * mostPlaces {
		line = "    x = " + string(rune('A'+i%26)) + ";\n"
		lines += line
	}
	text := said("FIRST" + lines + "FIRS")
	context := slices.Clone(text.tokens)
	g := Guess{}
	for i, id := range tokens("T" + lines)[:200] {
		text.Add(id)
		context = append(context, id)
		g = text.Continue(context, g.After(1), 8)
		if want := tokens("T" + lines)[i+1]; g.Tokens[0] != want {
			t.Fatalf("after %d tokens: %q", i, words(g))
		}
	}
}

// After a cut the text is as if what was cut had never been said.
func TestText_cutLeavesNoTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a, b := NewText(16), NewText(16)
		var kept []int32
		for range 60 {
			id := rng.Int32N(3)
			kept = append(kept, id)
			a.Add(id)
			b.Add(id)
			if rng.IntN(8) == 0 {
				for range rng.IntN(6) {
					b.Add(rng.Int32N(3))
				}
				b.Cut(len(kept))
			}
		}
		x, y := a.Continue(kept, Guess{}, 9), b.Continue(kept, Guess{}, 9)
		if !slices.Equal(a.last, b.last) || !slices.Equal(x.Tokens, y.Tokens) || x.Run != y.Run {
			t.Fatalf("%v: %+v and %+v", kept, x, y)
		}
	}
}

// Each guess is what did follow the run that it names; and the first is found again.
func TestContinue_guessesAreQuotes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		text := NewText(16)
		var all []int32
		for range rng.IntN(200) {
			all = append(all, rng.Int32N(4))
		}
		text.Add(all...)
		g := text.Continue(all, Guess{}, 5)
		if g.Run == 0 {
			continue
		}
		quote := slices.Concat(all[len(all)-g.Run:], g.Tokens)
		found := false
		for i := range len(all) - len(quote) + 1 {
			found = found || slices.Equal(all[i:i+len(quote)], quote)
		}
		if !found || g.Run < shortest {
			t.Fatalf("%v: %+v is no quote", all, g)
		}
	}
}

func TestAcceptance_followWhatIsSeen(t *testing.T) {
	var c Acceptance
	long := Guess{Tokens: make([]int32, 4), Run: 9}
	before := c.Of(long)
	for range 50 {
		c.Note(long, 4, false)
		c.Note(Guess{Tokens: make([]int32, 4), Run: 3}, 0, true)
	}
	after, short := c.Of(long), c.Of(Guess{Tokens: make([]int32, 1), Run: 3})[0]
	if after[3] <= before[3] || after[3] < 0.8 || short > 0.1 {
		t.Errorf("%v, then %v; of those that never came true %v", before, after, short)
	}
	for i := 1; i < 4; i++ {
		if after[i] > after[i-1] {
			t.Errorf("the chance of a longer guess is higher: %v", after)
		}
	}
	next := c.Begin()
	for range 2 * trust {
		next.Note(Guess{Tokens: make([]int32, 1), Run: 3}, 1, false)
	}
	if p := next.Of(Guess{Tokens: make([]int32, 1), Run: 3})[0]; p < 0.4 {
		t.Errorf("another turn is held to what was seen before: %v", p)
	}
}

// flat is a machine on which a step of any size costs the same, steep one on which each token
// costs a step.
func measured(of func(n int) float64) *Cost {
	c := &Cost{}
	for range 400 {
		for n := 1; n <= 20; n++ {
			c.Note(n, of(n))
		}
	}
	return c
}

func TestLengths_tryWhatPays(t *testing.T) {
	flat, steep := measured(func(int) float64 { return 3 }), measured(func(n int) float64 { return 3 * float64(n) })
	likely, unlikely := []float64{0.9, 0.8, 0.7, 0.6}, []float64{0.02, 0.001}
	for name, c := range map[string]struct {
		streams, tokens int
		chances         [][]float64
		cost            *Cost
		most            int
		want            []int
	}{
		"nothing to guess":                  {1, 1, [][]float64{nil}, flat, 16, []int{0}},
		"free tokens":                       {1, 1, [][]float64{likely}, flat, 16, []int{4}},
		"no room":                           {1, 1, [][]float64{likely}, flat, 1, []int{0}},
		"little room":                       {1, 1, [][]float64{likely}, flat, 3, []int{2}},
		"each token costs a step":           {1, 1, [][]float64{likely}, steep, 16, []int{0}},
		"a gain too small to be sure of":    {1, 1, [][]float64{unlikely}, flat, 16, []int{0}},
		"the better of two streams":         {2, 2, [][]float64{{0.3, 0.1}, {0.9, 0.8}}, flat, 4, []int{0, 2}},
		"unmeasured, as supposed: likely":   {1, 1, [][]float64{likely}, &Cost{}, 16, []int{4}},
		"unmeasured, as supposed: unlikely": {1, 1, [][]float64{unlikely}, &Cost{}, 16, []int{0}},
		"forced tokens fill the step":       {1, 30, [][]float64{likely}, flat, 16, []int{0}},
	} {
		if got := Lengths(c.streams, c.tokens, c.chances, c.cost, c.most); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}

// A machine that becomes slower for all sizes does not change what pays; one step that something
// disturbed hardly does.
func TestCost_isRelative(t *testing.T) {
	of := func(n int) float64 { return 2 + float64(n) }
	c := measured(of)
	for _, n := range []int{2, 5, 16} {
		if got, want := c.Of(n), of(n)/of(1); got < 0.9*want || got > 1.1*want {
			t.Errorf("%d tokens cost %.2f steps, not %.2f", n, got, want)
		}
	}
	before := *c
	for n := range 200 {
		c.Note(1, 5*of(1))
		c.Note(1+n%20, 5*of(1+n%20))
	}
	c.Note(5, 1e6)
	for _, n := range []int{2, 5, 16} {
		if got, want := c.Of(n), before.Of(n); got < 0.85*want || got > 1.15*want {
			t.Errorf("on a slower machine %d tokens cost %.2f steps, not %.2f", n, got, want)
		}
	}
}

// Where guesses fail, drafts end; where they come true again, they begin again without being
// tried. Steps are counted, not timed.
func TestPolicy_switchesItselfOffAndOn(t *testing.T) {
	cost := measured(func(n int) float64 { return 1 + 0.15*float64(n) })
	var c Acceptance
	g := Guess{Tokens: make([]int32, 8), Run: 4}
	tried := func() int { return Lengths(1, 1, [][]float64{c.Of(g)}, cost, 16)[0] }
	wasted := 0
	for range 1000 {
		wasted += tried()
		c.Note(g, 0, true)
	}
	if tried() != 0 || wasted > 60 {
		t.Errorf("1000 guesses that failed cost %d tokens; %d are tried still", wasted, tried())
	}
	for range memory {
		c.Note(g, 1, false)
	}
	if tried() == 0 {
		t.Error("guesses come true, and none is tried")
	}
}
