package emit

import (
	"fmt"
	"strings"

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

// plain is the text of a property up to one of some markers, its schema applied to the text.
func (w *output) plain(p declared.Property, ends ...string) string {
	if p.Free {
		return capture(CaptureText, w.until(ends...))
	}
	text := "%plain" + strings.TrimPrefix(grammar.JSON(p.Schema, grammar.SchemaOptions{Tool: p.Tool, Lenient: true}), "%json")
	if markers, ok := strings.CutPrefix(w.until(ends...), "%until"); ok {
		text += markers
	}
	return capture(CaptureText, text)
}

// members writes the arguments of a tool in any order, sep between them; "" if none is declared.
func (w *output) members(t *declared.Tool, i int, sep string, item func(declared.Property) string) string {
	if len(t.Members) == 0 {
		return ""
	}
	parts := []string{grammar.Quote(sep)}
	for k, p := range t.Members {
		part := w.rule(fmt.Sprintf("tool-%d-arg-%d", i, k), func() string { return item(p) })
		if !p.Required {
			part += "?"
		}
		parts = append(parts, part)
	}
	return "%each(" + strings.Join(parts, " | ") + ")"
}

// argument captures the value of a property.
func argument(p declared.Property, value string) string {
	if p.Kind == declared.KindInput {
		return value
	}
	return capture(fmt.Sprintf("%s-%d", CaptureMember, p.Place), value)
}

// embedded takes a client's grammar over.
func (w *output) embedded(src string) string {
	g, err := gbnf.Read(src)
	if err != nil { // Plan has refused it
		return "%text"
	}
	return w.adopt(g, "answer-")
}
