package machine

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// part is a piece of a grammar: what it is written as, and where it may end that begins at some
// place of a text.
type part struct {
	text string
	ends func(word string, from int) []int
}

// grammars makes random grammars over the letters a, b and c.
type grammars struct {
	*rand.Rand
	rules []*part
}

func (g *grammars) part(depth int) *part {
	if depth == 0 {
		return g.terminal()
	}
	switch g.IntN(5) {
	case 0:
		return seq(g.part(depth-1), g.part(depth-1))
	case 1:
		return alt(g.part(depth-1), g.part(depth-1), g.terminal())
	case 2:
		return repeat(g.part(depth-1), g.IntN(3), g.IntN(4)-1)
	case 3: // behind a letter, so that no rule is left recursive
		i := g.IntN(len(g.rules))
		return seq(literal("abc"[i:i+1]), &part{fmt.Sprintf("r%d", i), func(word string, from int) []int { return g.rules[i].ends(word, from) }})
	}
	p := g.part(depth - 1)
	return &part{fmt.Sprintf("k%d:( %s )", g.IntN(2), p.text), p.ends}
}

func (g *grammars) terminal() *part {
	switch g.IntN(8) {
	case 0:
		return regex("[ab]")
	case 1:
		return regex("[^a]")
	case 2:
		return automaton([]string{"a*b", "(ab)?", "b*", "c|ca"}[g.IntN(4)])
	case 3:
		return anyway(g.part(0), g.part(0))
	case 4:
		return &part{[]string{"()", "%check"}[g.IntN(2)], literal("").ends}
	}
	return literal([]string{"a", "b", "ab", "ba", "cab", ""}[g.IntN(6)])
}

func literal(text string) *part {
	return &part{fmt.Sprintf("%q", text), func(word string, from int) []int {
		if strings.HasPrefix(word[from:], text) {
			return []int{from + len(text)}
		}
		return nil
	}}
}

func regex(class string) *part {
	return &part{class, automaton(class).ends}
}

func automaton(pattern string) *part {
	whole := regexp.MustCompile("^(?:" + pattern + ")$")
	return &part{fmt.Sprintf("%%regex %q", pattern), func(word string, from int) (ends []int) {
		for to := from; to <= len(word); to++ {
			if whole.MatchString(word[from:to]) {
				ends = append(ends, to)
			}
		}
		return ends
	}}
}

// seq is parts one after the other.
func seq(parts ...*part) *part {
	return &part{joined(parts, " "), func(word string, from int) []int {
		at := []int{from}
		for _, p := range parts {
			at = behind(at, word, p)
		}
		return at
	}}
}

// behind is all places where a part ends that begins at some of others.
func behind(at []int, word string, p *part) (ends []int) {
	for _, from := range at {
		ends = append(ends, p.ends(word, from)...)
	}
	slices.Sort(ends)
	return slices.Compact(ends)
}

func joined(parts []*part, between string) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	return "(" + strings.Join(texts, between) + ")"
}

func alt(parts ...*part) *part {
	return &part{joined(parts, " | "), func(word string, from int) (ends []int) {
		for _, p := range parts {
			ends = append(ends, p.ends(word, from)...)
		}
		return ends
	}}
}

// repeat is a part so often; more than once without bound where the last is negative.
func repeat(p *part, least, more int) *part {
	text := fmt.Sprintf("(%s){%d,}", p.text, least)
	if more >= 0 {
		text = fmt.Sprintf("(%s){%d,%d}", p.text, least, least+more)
	}
	return &part{text, func(word string, from int) []int {
		at := []int{from}
		for range least {
			at = behind(at, word, p)
		}
		for n := 0; n < more || more < 0 && n <= len(word); n++ {
			at = slices.Compact(slices.Sorted(slices.Values(append(behind(at, word, p), at...))))
		}
		return at
	}}
}

// anyway is two parts in any order. The second may be left out.
func anyway(p, q *part) *part {
	comma, x, y := literal("c"), seq(literal("a"), p), seq(literal("b"), q)
	any := alt(x, seq(x, comma, y), seq(y, comma, x))
	return &part{fmt.Sprintf(`%%each("c" | %s | %s?)`, x.text, y.text), any.ends}
}

// words lists all words of some letters up to a length.
func words(letters string, most int) []string {
	list := []string{""}
	for from, n := 0, 0; n < most; n++ {
		to := len(list)
		for _, w := range list[from:to] {
			for _, c := range letters {
				list = append(list, w+string(c))
			}
		}
		from = to
	}
	return list
}

// TestMachine_smallGrammarsAreReadAsWritten: random grammars, and all words up to some letters.
// Which may end where they do, what is said of how far the end is, and which tokens may come,
// whether or not captures are told.
func TestMachine_smallGrammarsAreReadAsWritten(t *testing.T) {
	short, long := words("abc", 3), words("abc", 5)
	v := pieceVocab(t, short)
	for n := range 100 {
		g := grammars{Rand: rand.New(rand.NewPCG(27, uint64(n))), rules: make([]*part, 3)}
		src := ""
		for i := range g.rules {
			g.rules[i] = &part{}
		}
		for i, r := range g.rules {
			*r = *g.part(3)
			src += fmt.Sprintf("r%d ::= %s\n", i, r.text)
		}
		src = "root ::= r0\n" + src
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Log(src)
			m, events := compiled(t, src, false), compiled(t, src, true)
			k := NewMasks(m, v)
			for _, word := range long {
				id, _ := m.Walk(m.Start(), []byte(word))
				want := slices.Contains(g.rules[0].ends(word, 0), len(word))
				if got := m.Done(id); got != want {
					t.Fatalf("%q is read: %v", word, got)
				}
				r := NewReader(events)
				if _, err := r.Feed([]byte(word)); (err == nil && r.Done()) != want {
					t.Fatalf("%q is read with captures: %v, %v", word, r.Done(), err)
				}
				if id != Stuck && len(word) < 4 {
					checkStep(t, k, id, word)
				}
			}
		})
	}
}

// checkStep compares the tokens that may come, and the distance to an end, with those behind them.
func checkStep(t *testing.T, k *Masks, id ConfigID, word string) {
	t.Helper()
	nearest := unreachable
	if k.m.Done(id) {
		nearest = 0
	}
	mask := k.Mask(id, nil)
	for token := int32(1); int(token) < k.v.Len(); token++ {
		next := k.Step(id, token)
		if mask.Allows(token) != (next != Stuck) {
			t.Fatalf("behind %q the mask says %v of %q", word, mask.Allows(token), k.v.Piece(token))
		}
		if next != Stuck {
			nearest = min(nearest, k.m.Distance(next)+len(k.v.Piece(token)))
		}
	}
	if d := k.m.Distance(id); d != nearest {
		t.Fatalf("behind %q the end is said to be %d bytes away, and is %d", word, d, nearest)
	}
}
