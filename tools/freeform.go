package tools

import (
	"encoding/json"
	"fmt"

	"tenon/grammar"
	"tenon/grammar/gbnf"
)

// inputKey is the one argument of a free-form tool where a dialect has only arguments.
const inputKey = "input"

// schema is that of an object with the tool's text as its only member. A Lark grammar has no place in it.
func (f *Freeform) schema() json.RawMessage {
	input := `{"type":"string"}`
	if f.Syntax == "regex" {
		input = `{"type":"string","pattern":` + jsonString("^(?:"+f.Definition+")$") + `}`
	}
	return json.RawMessage(`{"type":"object","properties":{"` + inputKey + `":` + input + `},"required":["` + inputKey + `"],"additionalProperties":false}`)
}

// compile prepares the grammar of a free-form tool's text. One that cannot be read is dropped, and the text is any.
func (t *declared) compile() {
	f := t.Freeform
	if f == nil || f.Syntax == "" {
		return
	}
	var err error
	switch f.Syntax {
	case "lark":
		t.text, err = grammar.FromLark(f.Definition)
		if err == nil {
			t.quoted, err = quotedLark(f.Definition)
		}
	case "regex":
		t.text, err = grammar.FromRegex(f.Definition)
	default:
		err = fmt.Errorf("unknown syntax %q", f.Syntax)
	}
	if err != nil {
		t.text, t.quoted = nil, nil
		why := fmt.Sprintf("the input may be any text: %v", err)
		t.issues = append(t.issues, grammar.Issue{Tool: t.Name, Keyword: f.Syntax, Action: grammar.Dropped, Why: why})
	}
}

func quotedLark(src string) (*gbnf.Grammar, error) {
	tree, err := gbnf.ReadLark(src)
	if err != nil {
		return nil, fmt.Errorf("parse lark grammar: %w", err)
	}
	return gbnf.InString(tree)
}

// matches tells whether a text is one that a free-form tool takes.
func (t *declared) matches(text string) bool {
	if t.text == nil {
		return true
	}
	m := t.text.Matcher(nil)
	return m.AcceptBytes([]byte(text)) == nil && m.Done()
}

// input captures the text of a free-form tool as it is, up to one of some markers.
func (w *output) input(t *declared, ends ...string) string {
	switch {
	case t.text == nil:
		return capture(captureInput, w.until(ends...))
	case t.Freeform.Syntax == "lark":
		return capture(captureInput, "%lark "+grammar.Quote(t.Freeform.Definition))
	}
	return capture(captureInput, "%regex "+grammar.Quote(t.Freeform.Definition))
}

// quotedInput captures the text of a free-form tool inside a JSON string.
func (w *output) quotedInput(t *declared, i int) string {
	switch {
	case t.text == nil:
		return capture(captureQuoted, `%quoted "[\\s\\S]*"`)
	case t.Freeform.Syntax == "lark":
		return capture(captureQuoted, w.adopt(t.quoted, fmt.Sprintf("tool-%d-input-", i)))
	}
	return capture(captureQuoted, "%quoted "+grammar.Quote(t.Freeform.Definition))
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
