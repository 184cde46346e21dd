package print

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"tenon/grammar/gbnf"
	"tenon/grammar/grammartest"
	"tenon/grammar/lex"
	"tenon/grammar/machine"
)

var ablated = []rule{ruleNumbers, rulePatterns, ruleLengths, ruleApart, ruleMarkers, ruleShare, ruleInline}

// without runs f while a rule is left out.
func (r rule) without(f func()) {
	withoutRule = r
	defer func() { withoutRule = "" }()
	f()
}

// TestAblation_eachRuleIsAtWork: without it some grammar of testdata is printed differently, so
// that TestPlain_printsAsItDid fails.
func TestAblation_eachRuleIsAtWork(t *testing.T) {
	grammars, err := os.ReadFile(printedGrammars)
	if err != nil {
		t.Fatal(err)
	}
	left := slices.Clone(ablated)
	for line := range strings.Lines(string(grammars)) {
		src := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "⏎", "\n")
		whole, _ := plainText(t, src, true)
		left = slices.DeleteFunc(left, func(r rule) (differs bool) {
			r.without(func() {
				text, _ := plainText(t, src, true)
				differs = text != whole
			})
			return differs
		})
	}
	if len(left) > 0 {
		t.Errorf("without one of %q all is printed as it was", left)
	}
}

var ablationEvery = flag.Int("ablation.every", 2003, "the step of the sample of schemas; make ablations takes all")

// printedSchema is what became of a schema: its text, and which instances are read.
type printedSchema struct {
	text  string
	reads []bool
}

// TestAblation_whatTheCorpusLoses tells, for each rule, of how many schemas of ../shared the
// printed text reads other instances without it, and how long the texts get.
func TestAblation_whatTheCorpusLoses(t *testing.T) {
	all, bytes := 0, 0
	verdicts, lengths := map[rule]int{}, map[rule]int{}
	grammartest.Schemas(t, *ablationEvery, func(c grammartest.Case) {
		whole, ok := printed(c)
		if !ok {
			return
		}
		all, bytes = all+1, bytes+len(whole.text)
		for _, r := range ablated {
			r.without(func() {
				without, ok := printed(c)
				if lengths[r] += len(without.text); !ok || fmt.Sprint(without.reads) != fmt.Sprint(whole.reads) {
					verdicts[r]++
				}
			})
		}
	})
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range ablated {
		fmt.Fprintf(w, "%s\t%d other verdicts\t%+d%% of text\n", r, verdicts[r], 100*(lengths[r]-bytes)/max(bytes, 1))
	}
	_ = w.Flush() // a builder takes everything
	t.Logf("%d schemas of MaskBench, %d bytes:\n%s", all, bytes, b.String())
}

// printed prints a schema as tools are declared, and reads its instances by what is printed.
func printed(c grammartest.Case) (p printedSchema, ok bool) {
	const longest = 200_000 // texts beyond it take seconds to read
	n := &gbnf.Node{Op: gbnf.JSON, Text: string(c.Schema), Options: gbnf.JSONOptions{Space: "none", Escapes: "canonical", Numbers: "canonical"}}
	u, err := machine.NewUnit(n, true, lex.Limits{}, nil)
	if err != nil {
		return p, false
	}
	r, err := Plain(&gbnf.Grammar{Rules: []gbnf.Rule{{Name: "root", Node: n}}}, Units{n: u}, true)
	if err != nil {
		return p, false
	}
	if p.text = gbnf.Write(r.Grammar); len(p.text) > longest {
		return p, false
	}
	program, err := machine.Compile(r.Grammar, nil, false)
	if err != nil {
		return p, false
	}
	m := machine.New(program, nil, false)
	if m.Prepare() != nil {
		return p, false
	}
	for _, x := range c.Tests {
		id, _ := m.Walk(m.Start(), x.Data)
		p.reads = append(p.reads, id != machine.Stuck && m.Done(id))
	}
	return p, true
}
