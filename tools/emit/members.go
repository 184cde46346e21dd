package emit

import (
	"fmt"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/tools/declared"
)

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

// argument captures the value of the tool's k-th property.
func argument(t *declared.Tool, p declared.Property, value string) string {
	k := slices.IndexFunc(t.Members, func(o declared.Property) bool { return o.Key == p.Key })
	if p.Kind == declared.KindInput {
		return value
	}
	return capture(fmt.Sprintf("%s-%d", CaptureMember, k), value)
}
