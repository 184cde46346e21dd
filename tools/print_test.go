package tools

import (
	"math/rand/v2"
	"os"
	"testing"
	"unicode/utf8"

	"tenon/grammar"
	"tenon/grammar/grammartest"
)

// printedFamilies is the step of the sample of families whose grammars are printed.
const printedFamilies = 9

// turnTexts are transcripts of a family, and changed ones.
func turnTexts(t *testing.T, family string) []string {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	var texts []string
	for _, tr := range transcripts(t) {
		if tr.family != family || !utf8.ValidString(tr.raw) {
			continue
		}
		texts = append(texts, tr.raw)
		for range 3 {
			if text := grammartest.Mutate(tr.raw, rng); utf8.ValidString(text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func turnGrammar(t *testing.T, d *Dialect) *grammar.Grammar {
	t.Helper()
	g, err := grammar.Parse(planFor(t, d, Thinking{}).Grammar(), grammar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func inGrammar(g *grammar.Grammar, text string) bool {
	m := g.Matcher(nil)
	return m.AcceptBytes([]byte(text)) == nil && m.Done()
}

// TestPlan_printedTurnsAreReadAsTheyStand: the grammar of a whole turn, printed as plain GBNF,
// accepts what the turn's own does, but for what the printer says.
func TestPlan_printedTurnsAreReadAsTheyStand(t *testing.T) {
	accepted := 0
	for i, d := range Families() {
		if i%printedFamilies != 0 && os.Getenv(grammartest.AllEnv) == "" {
			continue
		}
		g := turnGrammar(t, d)
		for _, target := range []grammar.Target{grammar.GBNF, grammar.XGrammar} {
			p, err := g.Print(target)
			if err != nil {
				t.Errorf("%s as %s: %v", d.Key, target, err)
				continue
			}
			back, err := grammar.Parse(p.Text, grammar.Options{})
			if err != nil {
				t.Errorf("%s as %s does not read back: %v", d.Key, target, err)
				continue
			}
			for _, text := range turnTexts(t, d.Key) {
				want, got := inGrammar(g, text), inGrammar(back, text)
				if got && !want && len(p.Loosened) == 0 || !got && want && len(p.Narrowed) == 0 {
					t.Errorf("%s as %s: %q is accepted: %v, printed %v; loosened %q, narrowed %q", d.Key, target, text, want, got, p.Loosened, p.Narrowed)
				}
				if want && got {
					accepted++
				}
			}
		}
	}
	if accepted < 10 {
		t.Errorf("only %d texts were accepted at all", accepted)
	}
}

// TestPlan_rivalsReadPrintedTurns has the engines that the printed grammars are for judge the same
// texts.
func TestPlan_rivalsReadPrintedTurns(t *testing.T) {
	for variable, target := range map[string]grammar.Target{
		grammartest.LlamaCPP: grammar.GBNF, grammartest.XGrammar: grammar.XGrammar, grammartest.LLGuidance: grammar.XGrammar,
	} {
		t.Run(variable, func(t *testing.T) {
			rival := grammartest.StartRival(t, variable)
			families, texts := 0, 0
			for _, d := range Families() {
				families++
				texts += judgeTurn(t, rival, target, d)
			}
			t.Logf("%d families, %d texts", families, texts)
		})
	}
}

func judgeTurn(t *testing.T, rival *grammartest.Rival, target grammar.Target, d *Dialect) int {
	t.Helper()
	g := turnGrammar(t, d)
	p, err := g.Print(target)
	if err == nil {
		err = rival.Compile(p.Text)
	}
	if err != nil {
		t.Errorf("%s: %v\n%.1500s", d.Key, err, p.Text)
		return 0
	}
	texts := turnTexts(t, d.Key)
	for _, text := range texts {
		want := inGrammar(g, text)
		got, err := rival.Accepts(text)
		if err != nil || got && !want && len(p.Loosened) == 0 || !got && want && len(p.Narrowed) == 0 {
			t.Errorf("%s: %q is accepted: %v, by the rival %v (%v); loosened %q, narrowed %q", d.Key, text, want, got, err, p.Loosened, p.Narrowed)
		}
	}
	return len(texts)
}
