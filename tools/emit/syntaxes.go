package emit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/tools/declared"
	"tenon/tools/format"
	"tenon/tools/ordered"
)

// How each syntax is written, for the grammar that masks.

// writer writes the calls of a syntax as expressions of extended GBNF.
type writer interface {
	// write is how a call of the i-th tool is written.
	write(w *output, t *declared.Tool, i int) string
	// list is what stands before, between and after calls.
	list() (open, between, end string)
}

type (
	jsonWriter  struct{ format.JSON }
	namedWriter struct {
		bare
		format.Named
	}
	taggedWriter struct {
		bare
		format.Tagged
	}
	nestedWriter struct {
		bare
		format.Nested
	}
	pythonWriter struct{ format.Python }
	reactWriter  struct {
		bare
		format.ReAct
	}
)

// bare is a syntax whose calls stand in no list.
type bare struct{}

func (bare) list() (open, between, end string) { return "", "", "" }

// writerOf writes calls as the dialect does.
func writerOf(d *format.Dialect) writer {
	switch s := d.Syntaxes[0].(type) {
	case format.JSON:
		return jsonWriter{s}
	case format.Named:
		return namedWriter{Named: s}
	case format.Tagged:
		return taggedWriter{Tagged: s}
	case format.Nested:
		return nestedWriter{Nested: s}
	case format.Python:
		return pythonWriter{s}
	}
	return reactWriter{ReAct: d.Syntaxes[0].(format.ReAct)}
}

// beginning is what a call of a tool begins with, where no marker does.
func beginning(s format.Syntax, tool string) string {
	switch s := s.(type) {
	case format.JSON:
		if s.Array {
			return `[{"` + s.NameKey + `": ` + ordered.String(tool)
		}
		return `{"` + s.NameKey + `": ` + ordered.String(tool)
	case format.Python:
		if s.Listed && s.Fence.Open == "" {
			return "[" + tool + "("
		}
		return cmp.Or(s.Fence.Open, tool+s.Method+"(")
	case format.Named:
		return s.Before + tool
	}
	return ""
}

func (c jsonWriter) list() (open, between, end string) {
	if !c.Array {
		return "", "", ""
	}
	return `"[" [ \n]{0,12}`, `[ \n]{0,12} "," [ \n]{0,12}`, `[ \n]{0,12} "]"`
}

func (c jsonWriter) write(w *output, t *declared.Tool, i int) string {
	inString := ordered.String(t.Prompt)
	name := capture(CaptureName, grammar.Quote(inString[1:len(inString)-1]))
	if c.NameIsKey {
		return seq(`"{\""`, name, `"\": "`, w.args(t, i), `"}"`)
	}
	gap, comma := "", `" "`
	if w.Dialect.Fenced {
		gap, comma = `[ \n]{0,12}`, `[ \n]{1,12}`
	}
	call := seq(gap, grammar.Quote(`"`+c.NameKey+`": "`), name, `"\","`, comma, grammar.Quote(`"`+c.ArgsKey+`": `), w.args(t, i), gap)
	if c.IDKey == "" {
		return seq(`"{"`, call, `"}"`)
	}
	id := grammar.Quote(`"` + c.IDKey + `": "`)
	if c.IntegerID {
		return seq(`"{"`, id, `[0-9]{1,4}`, `"\", "`, call, `"}"`)
	}
	return seq(`"{"`, call, `", "`, id, `[a-zA-Z0-9_-]{1,40}`, `"\"}"`)
}

func (c namedWriter) write(w *output, t *declared.Tool, i int) string {
	parts := []string{}
	if c.IDFirst != "" {
		parts = append(parts, `[a-zA-Z0-9_-]{1,40}`, w.lit(c.IDFirst))
	}
	parts = append(parts, w.lit(c.Before), name(t))
	if c.Index {
		parts = append(parts, `":" [0-9]{1,4}`)
	}
	if c.IDMark != "" && c.IDFirst == "" {
		parts = append(parts, w.lit(c.IDMark), `[a-zA-Z0-9]{9}`)
	}
	parts = append(parts, w.lit(c.Separator))
	if c.BareKeys {
		parts = append(parts, w.dictionary(c, t, i))
	} else {
		parts = append(parts, w.args(t, i))
	}
	return seq(append(parts, w.lit(c.After))...)
}

func (c taggedWriter) write(w *output, t *declared.Tool, i int) string {
	gap := w.lit(c.Between)
	line := ""
	if c.Lines {
		gap, line = `"\n"`, `"\n"`
	}
	item := func(p declared.Property) string {
		return seq(c.keyTag(w, p), line, c.argument(w, t, p), line, w.lit(c.ArgEnd), gap)
	}
	body := w.members(t, i, "", item)
	if t.AnyMembers() {
		value := seq(capture(CaptureKey, `[^\n<>"]{1,120}`), w.lit(c.Arg.Close), gap, w.lit(c.Value), line, capture(CaptureField, w.until(c.ArgEnd)))
		body = "( " + seq(w.lit(c.Arg.Open), capture(CaptureMember, value), line, w.lit(c.ArgEnd), gap) + " )*"
	}
	head := seq(w.lit(c.Call.Open), name(t))
	if c.Index != "" {
		head = seq(head, w.lit(`"`+c.Index), "[0-9]{1,4}", w.lit(c.Call.Close))
	} else {
		head = seq(head, w.lit(c.Call.Close), w.lit(c.NameEnd))
	}
	if c.CallEnd == "" { // see late
		return seq(head, gap, places(t, body))
	}
	return seq(head, gap, places(t, body), w.lit(c.CallEnd), check(t))
}

// keyTag opens an argument.
func (c taggedWriter) keyTag(w *output, p declared.Property) string {
	attribute := ""
	switch {
	case c.Attribute != "":
		attribute = `" ` + c.Attribute + p.TypeName() + `"`
		return seq(w.lit(c.Arg.Open+p.Key+strings.TrimSuffix(attribute, `"`)+c.Arg.Close), w.lit(c.Value))
	case c.TextAttribute != "" && p.Kind != declared.KindScalar && p.Kind != declared.KindJSON:
		attribute = ` ` + c.TextAttribute
	case c.TextAttribute != "":
		attribute = ` ` + c.JSONAttribute
	}
	if attribute != "" {
		return w.lit(c.Arg.Open + p.Key + `"` + attribute + strings.TrimPrefix(c.Arg.Close, `"`))
	}
	key := w.lit(c.Arg.Open + p.Key + c.Arg.Close)
	if c.Value == "" {
		return key
	}
	return seq(key, w.lit(c.Between), w.lit(c.Value))
}

// argument is the text of an argument.
func (c taggedWriter) argument(w *output, t *declared.Tool, p declared.Property) string {
	switch p.Kind {
	case declared.KindText:
		return argument(p, c.section(w.lit(format.CDATAOpen), w.plain(p, format.CDATAClose), w.lit(format.CDATAClose), w.plain(p, c.ends()...)))
	case declared.KindInput:
		return c.section(w.lit(format.CDATAOpen), w.input(t, format.CDATAClose), w.lit(format.CDATAClose), w.input(t, c.ends()...))
	}
	return argument(p, capture(CaptureJSON, p.JSON(grammar.CommonEscapes)))
}

// ends are what text outside of a CDATA section must not hold.
func (c taggedWriter) ends() []string {
	if c.CDATA {
		return []string{c.ArgEnd, format.CDATAOpen}
	}
	return []string{c.ArgEnd}
}

// section is text in a CDATA section, where the family writes those, or without one.
func (c taggedWriter) section(open, inside, end, bare string) string {
	if !c.CDATA {
		return bare
	}
	return alt([]string{seq(open, inside, end), bare})
}

func (c pythonWriter) list() (open, between, end string) {
	switch {
	case c.Listed:
		open, between, end = `"["`, `", "`, `"]"`
	case c.Between != "":
		between = grammar.Quote(c.Between)
	case c.Fence.Open != "":
		between = `"\n"`
	}
	if c.Fence.Open != "" {
		open = seq(grammar.Quote(c.Fence.Open), open)
		if c.Fence.Close != "" {
			end = seq(end, grammar.Quote(c.Fence.Close))
		}
	}
	return open, between, end
}

func (c pythonWriter) write(w *output, t *declared.Tool, i int) string {
	body := w.members(t, i, ", ", func(p declared.Property) string {
		key := grammar.Quote(p.Key + cmp.Or(c.Assign, "="))
		if p.Kind == declared.KindInput {
			return seq(key, `"\""`, w.quotedInput(t, i), `"\""`)
		}
		value := pythonGrammar(p)
		// as it stands where nothing in it is escaped
		if c.Quote != "" && p.Kind == declared.KindText {
			value = alt([]string{value, seq(grammar.Quote(c.Quote), w.plain(p, c.Quote, `\`, "\n"), grammar.Quote(c.Quote))})
		}
		return seq(key, argument(p, value))
	})
	return seq(name(t), grammar.Quote(c.Method+"("), places(t, body), `")"`, check(t))
}

// pythonGrammar is a value as a Python literal: JSON, but for the words for booleans and nothing.
func pythonGrammar(p declared.Property) string {
	boolean := `( true:( "True" | "true" ) | false:( "False" | "false" ) )`
	if p.TypeName() == "boolean" && p.Free {
		return boolean
	}
	value := capture(CaptureJSON, p.JSON(grammar.CanonicalEscapes))
	if slices.Contains(p.Types, "null") {
		return "( " + value + ` | null:( "None" ) )`
	}
	return value
}

func (c nestedWriter) write(w *output, t *declared.Tool, i int) string {
	body := w.members(t, i, "", func(p declared.Property) string {
		end := c.end(p.Key)
		var value string
		switch p.Kind {
		case declared.KindInput:
			value = w.input(t, end)
		case declared.KindText:
			value = w.plain(p, end)
		case declared.KindScalar:
			value = capture(CaptureJSON, p.JSON(grammar.CommonEscapes))
		default:
			value = capture(CaptureTree, c.inside(w, t, p, end, maxInside))
		}
		return seq(w.lit(c.Noise+"<"+p.Key+">"), argument(p, value), w.lit(end), `"\n"`)
	})
	return seq(w.lit(c.Noise+c.Call.Open), name(t), w.lit(c.Call.Close), `"\n"`, places(t, body), w.lit(c.Noise+c.CallEnd), check(t))
}

func (c nestedWriter) end(key string) string { return c.Noise + "</" + key + ">" }

// inside is what stands in an element, up to its end: elements where the schema wants a list or an
// object, or else text.
func (c nestedWriter) inside(w *output, t *declared.Tool, p declared.Property, end string, depth int) string {
	if p.Nullable != nil {
		return alt([]string{`"null"`, c.inside(w, t, *p.Nullable, end, depth)})
	}
	kind := p.TypeName()
	if p.Kind == declared.KindScalar {
		return p.JSON(grammar.CommonEscapes)
	}
	if w.followed++; depth == 0 || w.followed >= maxFollowed || kind != "array" && kind != "object" {
		return w.until(end)
	}
	_, m := t.Part(p.Schema)
	element := func(key string, schema json.RawMessage) string {
		q, _ := t.Part(schema)
		return seq("(", w.lit(c.Noise+"<"+key+">"), c.inside(w, t, q, c.end(key), depth-1), w.lit(c.end(key)), ")")
	}
	if kind == "array" {
		items, _ := m.First("items")
		return element("item", items) + "*"
	}
	properties, _ := m.First("properties")
	required, _ := m.First("required")
	parts := []string{`""`}
	for _, e := range ordered.Members(properties) {
		part := element(e.Key, e.Value)
		if !bytes.Contains(required, []byte(ordered.String(e.Key))) {
			part += "?"
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return w.until(end)
	}
	return "%each(" + strings.Join(parts, " | ") + ")"
}

func (c reactWriter) write(w *output, t *declared.Tool, i int) string {
	return seq(`" "?`, name(t), grammar.Quote("\n"+c.Input+" "), w.args(t, i))
}
