package tools

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenon/grammar"
	"tenon/grammar/vocab"
	"tenon/tools/parse"
)

// byteVocab is a vocabulary of every byte and an end token.
func byteVocab(t *testing.T) *grammar.Vocab {
	t.Helper()
	pieces := make([][]byte, 257)
	kinds := make([]grammar.TokenKind, 257)
	for i := range 256 {
		pieces[i], kinds[i] = []byte{byte(i)}, vocab.Normal
	}
	pieces[256], kinds[256] = []byte("<end>"), vocab.Control
	v, err := grammar.NewVocab(pieces, kinds, []int32{256})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The matrix of issue 6: whatever the masks of a turn allow, the turn that comes out keeps the
// turn's promises.
func TestWalk_whatTheMaskAllowsIsAValidTurn(t *testing.T) {
	v := byteVocab(t)
	declared := defaultTools(t)
	r := rand.New(rand.NewPCG(11, 3))
	rounds := 1
	if os.Getenv("TENON_LONG") != "" {
		rounds = 3
	}
	for range rounds {
		for _, d := range Families() {
			for _, turn := range turns(declared) {
				if turn.Answer != nil || r.IntN(8) > 0 && rounds == 1 {
					continue
				}
				turn.Stops = nil
				p := planned(t, d, turn)
				g := compiled(t, p)
				text := walk(t, g.Matcher(v), r)
				checkWalk(t, p, text)
			}
		}
	}
}

// walk takes random allowed tokens for a while, then those that lead to the nearest end.
func walk(t *testing.T, m *grammar.Matcher, r *rand.Rand) []byte {
	t.Helper()
	var out []byte
	const free, most = 120, 3000
	for n := 0; ; n++ {
		if n >= free && m.Done() || m.Done() && r.IntN(6) == 0 {
			return out
		}
		if n > most {
			t.Fatalf("no end after %q", out)
		}
		allowed := m.Mask()
		if n >= free {
			allowed = m.MaskWithin(m.Distance() + 1)
		}
		token := pick(allowed, r)
		if token < 0 || token == 256 {
			if m.Done() {
				return out
			}
			t.Fatalf("nothing is allowed after %q", out)
		}
		if err := m.Accept(token); err != nil {
			t.Fatalf("%q was allowed after %q: %v", byte(token), out, err)
		}
		out = append(out, byte(token))
	}
}

// pick chooses a token of a mask, printable ones more often.
func pick(m grammar.Mask, r *rand.Rand) int32 {
	var all []int32
	for i := range int32(257) {
		if m.Allows(i) && (i >= 32 && i < 127 || i == 10 || r.IntN(8) == 0) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		for i := range int32(257) {
			if m.Allows(i) {
				all = append(all, i)
			}
		}
	}
	if len(all) == 0 {
		return -1
	}
	return all[r.IntN(len(all))]
}

func trimmed(s *string) *string { return orNil(strings.TrimSpace(deref(s))) }

func checkWalk(t *testing.T, p *Plan, text []byte) {
	t.Helper()
	q := p.Parser()
	got := play(q, string(text), 0, false)
	if q.(*parse.Constrained).Rest != nil {
		t.Errorf("%s: the parser left the grammar: %q", p.core.Dialect.Key, text)
	}
	if diff := cmp.Diff(got, play(p.Parser(), string(text), 1, false)); diff != "" {
		t.Errorf("%s: %q: byte by byte (-whole +bytes):\n%s", p.core.Dialect.Key, text, diff)
	}
	want := play(p.TextParser(), string(text), 0, false)
	// white space before a call that must come is no text
	if p.core.Turn.Choice.Mode == Required {
		want.Content, got.Content = trimmed(want.Content), trimmed(got.Content)
	}
	if diff := cmp.Diff(want, got, sameMessage); diff != "" {
		t.Errorf("%s: %q (-tolerant +captures):\n%s", p.core.Dialect.Key, text, diff)
	}
	most := 99
	if !p.core.Turn.Parallel || p.core.Dialect.OneCall {
		most = 1
	}
	switch n := len(got.Calls); {
	case p.core.Turn.Choice.Mode == None && n > 0, n > most:
		t.Errorf("%s: %d calls under %+v: %q", p.core.Dialect.Key, n, p.core.Turn.Choice, text)
	case p.core.Turn.Choice.Mode == Required && n == 0 && got.Notes == 0:
		t.Errorf("%s: no call under %+v, thinking %+v: %q", p.core.Dialect.Key, p.core.Turn.Choice, p.core.Turn.Thinking, text)
	}
	if th := p.core.Turn.Thinking; th.Off && !th.Open && got.Reasoning != nil && len(p.core.Dialect.Labels) == 0 {
		t.Errorf("%s: thinking %q though there is to be none: %q", p.core.Dialect.Key, *got.Reasoning, text)
	}
	for _, c := range got.Calls {
		at, ok := p.core.Names.Find(c.Name)
		args, err := json.Marshal(c.Arguments)
		if !ok || !p.core.Tools[at.Tool].Allowed || err != nil || c.Arguments != nil && p.core.Tools[at.Tool].Schema.Validate(args) != nil {
			t.Errorf("%s: %q: call %+v", p.core.Dialect.Key, text, c)
		}
	}
}
