package emit

import (
	"fmt"

	"tenon/grammar"
	"tenon/grammar/gbnf"
	"tenon/tools/declared"
)

// input captures the text of a free-form tool as it is, up to one of some markers.
func (w *output) input(t *declared.Tool, ends ...string) string {
	switch {
	case t.Text == nil:
		return capture(CaptureInput, w.until(ends...))
	case t.Freeform.Syntax == "lark":
		return capture(CaptureInput, "%lark "+grammar.Quote(t.Freeform.Definition))
	}
	return capture(CaptureInput, "%regex "+grammar.Quote(t.Freeform.Definition))
}

// quotedInput captures the text of a free-form tool inside a JSON string.
func (w *output) quotedInput(t *declared.Tool, i int) string {
	switch {
	case t.Text == nil:
		return capture(CaptureQuoted, `%quoted "[\\s\\S]*"`)
	case t.Freeform.Syntax == "lark":
		return capture(CaptureQuoted, w.adopt(t.Quoted, fmt.Sprintf("tool-%d-input-", i)))
	}
	return capture(CaptureQuoted, "%quoted "+grammar.Quote(t.Freeform.Definition))
}

// adopt takes the rules of a grammar over under names of their own and returns its root's.
func (w *output) adopt(g *gbnf.Grammar, prefix string) string {
	renamed := &gbnf.Grammar{Root: g.Root, Rules: make([]gbnf.Rule, len(g.Rules))}
	for i, r := range g.Rules {
		renamed.Rules[i] = gbnf.Rule{Name: prefix + fmt.Sprint(i), Node: r.Node}
	}
	w.rules.WriteString(gbnf.Write(renamed))
	return renamed.Rules[g.Root].Name
}
