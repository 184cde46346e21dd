package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/tools/conform"
	"tenon/tools/lenient"
)

// How each codec writes a call, for the grammar that masks.

func (c jsonCodec) list() (open, between, end string) {
	if !c.array {
		return "", "", ""
	}
	return `"[" [ \n]{0,8}`, `[ \n]{0,8} "," [ \n]{0,8}`, `[ \n]{0,8} "]"`
}

func (c jsonCodec) begins(tool string) []string {
	open := ""
	if c.array {
		open = "["
	}
	return []string{open + `{"` + c.nameKey + `": ` + jsonString(tool)}
}

func jsonString(s string) string { return string(lenient.AppendString(nil, s)) }

func (c jsonCodec) write(w *output, t *declared, _ int) string {
	if c.nameIsKey {
		return seq(`"{\""`, name(t), `"\": "`, w.args(t), `"}"`)
	}
	call := seq(grammar.Quote(`"`+c.nameKey+`": "`), name(t), grammar.Quote(`", "`+c.argsKey+`": `), w.args(t))
	if c.idKey == "" {
		return seq(`"{"`, call, `"}"`)
	}
	id := grammar.Quote(`"` + c.idKey + `": "`)
	if w.dialect.id == idInteger {
		return seq(`"{"`, id, `[0-9]{1,4}`, `"\", "`, call, `"}"`)
	}
	return seq(`"{"`, call, `", "`, id, `[a-zA-Z0-9_-]{1,40}`, `"\"}"`)
}

func (c namedCodec) list() (open, between, end string) { return "", "", "" }

func (c namedCodec) begins(tool string) []string { return []string{c.before + tool} }

func (c namedCodec) write(w *output, t *declared, i int) string {
	parts := []string{}
	if c.idFirst != "" {
		parts = append(parts, `[a-zA-Z0-9_-]{1,40}`, w.lit(c.idFirst))
	}
	parts = append(parts, w.lit(c.before), name(t))
	if c.index {
		parts = append(parts, `":" [0-9]{1,4}`)
	}
	if c.idMark != "" && c.idFirst == "" {
		parts = append(parts, w.lit(c.idMark), `[a-zA-Z0-9]{9}`)
	}
	parts = append(parts, w.lit(c.separator))
	if c.bareKeys {
		parts = append(parts, w.dictionary(c, t, i))
	} else {
		parts = append(parts, w.args(t))
	}
	return seq(append(parts, w.lit(c.after))...)
}

// dictionary is an object with bare keys and strings between a family's own quotes. Values inside containers are checked
// afterwards.
func (w *output) dictionary(c namedCodec, t *declared, i int) string {
	quote := c.quotes[0]
	text := func(p property) string {
		return seq(w.lit(quote), capture("value", w.free(t, p, quote)), w.lit(quote))
	}
	w.rule("dict-value", func() string {
		return alt([]string{
			seq(w.lit(quote), w.until(quote), w.lit(quote)),
			grammar.JSON([]byte(`{"type":["number","boolean","null"]}`), grammar.SchemaOptions{Numbers: grammar.CanonicalNumbers}),
			`"{" ( dict-pair ( "," dict-pair )* )? "}"`,
			`"[" ( dict-value ( "," dict-value )* )? "]"`,
		})
	})
	w.rule("dict-pair", func() string { return `[^:,{}"]{1,120} ":" dict-value` })
	body := w.members(t, i, ",", func(p property) string {
		key := grammar.Quote(p.key + ":")
		switch p.kind {
		case kindText:
			return seq(key, text(p))
		case kindChoice:
			return seq(key, w.lit(quote), capture("value", choices(p)), w.lit(quote))
		case kindScalar:
			return seq(key, capture("value", p.json()))
		}
		return seq(key, capture("value", "dict-value"))
	})
	if body == "" {
		body = `( dict-pair ( "," dict-pair )* )?`
	}
	return seq(`"{"`, body, `"}"`, "%check")
}

func choices(p property) string {
	all := make([]string, len(p.choices))
	for i, c := range p.choices {
		all[i] = grammar.Quote(c)
	}
	return alt(all)
}

func (c taggedCodec) list() (open, between, end string) { return "", "", "" }
func (c taggedCodec) begins(string) []string            { return nil }

func (c taggedCodec) write(w *output, t *declared, i int) string {
	gap := w.lit(c.between)
	line := ""
	if c.lines {
		gap, line = `"\n"`, `"\n"`
	}
	item := func(p property) string {
		return seq(c.keyTag(w, p), line, c.argument(w, t, p), line, w.lit(c.argEnd), gap)
	}
	body := w.members(t, i, "", item)
	if body == "" {
		body = "( " + seq(w.lit(c.arg.open), `[^\n<>"]{1,120}`, w.lit(c.arg.close), gap, w.lit(c.value), line,
			capture("value", w.until(c.argEnd)), line, w.lit(c.argEnd), gap) + " )*"
	}
	head := seq(w.lit(c.call.open), name(t))
	if c.index != "" {
		head = seq(head, w.lit(`"`+c.index), "[0-9]{1,4}", w.lit(c.call.close))
	} else {
		head = seq(head, w.lit(c.call.close), w.lit(c.nameEnd))
	}
	if c.callEnd == "" {
		return seq(head, gap, body) // see lateCheck
	}
	return seq(head, gap, body, w.lit(c.callEnd), "%check")
}

// keyTag opens an argument.
func (c taggedCodec) keyTag(w *output, p property) string {
	attribute := ""
	switch {
	case c.attribute != "":
		attribute = `" ` + c.attribute + p.typeName() + `"`
		return seq(w.lit(c.arg.open+p.key+strings.TrimSuffix(attribute, `"`)+c.arg.close), w.lit(c.value))
	case c.textAttribute != "" && p.kind != kindScalar && p.kind != kindJSON:
		attribute = ` ` + c.textAttribute
	case c.textAttribute != "":
		attribute = ` ` + c.jsonAttribute
	}
	if attribute != "" {
		return w.lit(c.arg.open + p.key + `"` + attribute + strings.TrimPrefix(c.arg.close, `"`))
	}
	key := w.lit(c.arg.open + p.key + c.arg.close)
	if c.value == "" {
		return key
	}
	return seq(key, w.lit(c.between), w.lit(c.value))
}

// argument is the text of an argument.
func (c taggedCodec) argument(w *output, t *declared, p property) string {
	switch p.kind {
	case kindText:
		return capture("value", w.free(t, p, c.argEnd))
	case kindChoice:
		return capture("value", choices(p))
	}
	return capture("value", p.json())
}

func (c pythonicCodec) list() (open, between, end string) {
	if c.listed {
		return `"["`, `", "`, `"]"`
	}
	return "", "", ""
}

func (c pythonicCodec) begins(tool string) []string {
	if c.listed {
		return []string{"[" + tool + "("}
	}
	return []string{tool + c.method + "("}
}

func (c pythonicCodec) write(w *output, t *declared, i int) string {
	body := w.members(t, i, ", ", func(p property) string {
		v := p.json()
		if p.typeName() == "boolean" {
			v = `( "True" | "False" | "true" | "false" )`
		}
		return seq(grammar.Quote(p.key+"="), capture("value", v))
	})
	return seq(name(t), grammar.Quote(c.method+"("), body, `")"`, "%check")
}

func (c nestedCodec) list() (open, between, end string) { return "", "", "" }
func (c nestedCodec) begins(string) []string            { return nil }

func (c nestedCodec) write(w *output, t *declared, i int) string {
	tag := func(text string) string { return w.lit(c.noise + text) }
	body := w.members(t, i, "", func(p property) string {
		v := capture("value", w.free(t, p, c.noise+"</"+p.key+">"))
		switch p.kind {
		case kindChoice:
			v = capture("value", choices(p))
		case kindScalar:
			v = capture("value", p.json())
		}
		return seq(tag("<"+p.key+">"), v, tag("</"+p.key+">"), `"\n"`)
	})
	return seq(tag(c.call.open), name(t), w.lit(c.call.close), `"\n"`, body, tag(c.callEnd), "%check")
}

func (c reactCodec) list() (open, between, end string) { return "", "", "" }
func (c reactCodec) begins(string) []string            { return []string{c.action} }

func (c reactCodec) write(w *output, t *declared, _ int) string {
	return seq(`" "?`, name(t), grammar.Quote("\n"+c.input+" "), w.args(t))
}

// property is an argument where each has a place of its own in the text.
type property struct {
	key      string
	schema   json.RawMessage
	required bool
	kind     propertyKind
	types    []string
	choices  []string
	tool     string
}

// propertyKind says how the value of a property is written.
type propertyKind uint8

const (
	kindJSON   propertyKind = iota // as JSON
	kindText                       // as plain text
	kindChoice                     // as one of a few plain texts
	kindScalar                     // as JSON, a number, boolean or null
)

func (p property) json() string {
	return grammar.JSON(p.schema, grammar.SchemaOptions{Tool: p.tool, Lenient: true, Space: grammar.BoundedSpace, Numbers: grammar.CanonicalNumbers})
}

func (p property) typeName() string {
	if len(p.types) == 1 {
		return p.types[0]
	}
	return ""
}

// properties lists the declared arguments of a tool in their order.
func (t *declared) properties() []property {
	root := members(t.wire)
	raw, _ := root.first("properties")
	var required []string
	if r, ok := root.first("required"); ok {
		_ = json.Unmarshal(r, &required) // of another shape: the schema's own compiler has reported it
	}
	var all []property
	for _, m := range members(raw) {
		p := property{key: m.key, schema: withDefinitions(m.value, root), tool: t.Name}
		p.required = slices.Contains(required, m.key)
		p.classify(m.value, t)
		all = append(all, p)
	}
	return all
}

// withDefinitions gives a part of a schema the definitions that its references may name.
func withDefinitions(sub json.RawMessage, root memberList) json.RawMessage {
	m := members(sub)
	if m == nil || !strings.Contains(string(sub), `"$ref"`) {
		return sub
	}
	for _, k := range []string{"$schema", "$defs", "definitions"} {
		if v, ok := root.first(k); ok {
			m = append(m, member{k, v})
		}
	}
	return m.object()
}

func (p *property) classify(sub json.RawMessage, t *declared) {
	m := members(sub)
	if v, ok := m.first("type"); ok {
		if s, ok := text(v); ok {
			p.types = []string{s}
		} else {
			_ = json.Unmarshal(v, &p.types) // of another shape: any type
		}
	}
	enum, _ := m.first("enum")
	if _, ok := m.first("const"); ok && t.schema.OnlyString(p.key) {
		c, _ := m.first("const")
		enum = slices.Concat([]byte("["), c, []byte("]"))
	}
	plain := t.schema.OnlyString(p.key)
	switch {
	case plain && len(enum) > 0 && json.Unmarshal(enum, &p.choices) == nil && len(p.choices) > 0:
		p.kind = kindChoice
		if _, ok := t.narrowed[p.key]; ok {
			fits := conform.Compile(sub)
			p.choices = slices.DeleteFunc(p.choices, func(c string) bool { return fits.Validate([]byte(jsonString(c))) != nil })
		}
	case plain:
		p.kind = kindText
	case len(p.types) > 0 && !slices.ContainsFunc(p.types, func(s string) bool { return s == "string" || s == "object" || s == "array" }):
		p.kind = kindScalar
	}
}

// maxExact is how many arguments may come in any order, each once, with a rule for every set of those that came.
const maxExact = 4

// members writes the arguments of a tool, sep between them; "" if none is declared.
func (w *output) members(t *declared, i int, sep string, item func(property) string) string {
	all := t.properties()
	for k := range all {
		p := all[k]
		w.rule(fmt.Sprintf("tool-%d-arg-%d", i, k), func() string { return item(p) })
	}
	switch {
	case len(all) == 0:
		return ""
	case len(all) <= maxExact:
		return w.sets(all, i, 0, sep)
	case sep == "":
		return anywhere(all, i)
	}
	return w.chain(all, i, 0, false, sep)
}

// sets is what may follow once the arguments in the bit set came.
func (w *output) sets(all []property, i, came int, sep string) string {
	return w.rule(fmt.Sprintf("tool-%d-after-%d", i, came), func() string {
		var next []string
		done := true
		for k, p := range all {
			if came&(1<<k) != 0 {
				continue
			}
			done = done && !p.required
			between := ""
			if came != 0 && sep != "" {
				between = grammar.Quote(sep)
			}
			next = append(next, seq(between, fmt.Sprintf("tool-%d-arg-%d", i, k), w.sets(all, i, came|1<<k, sep)))
		}
		if done {
			next = append([]string{`""`}, next...)
		}
		return alt(next)
	})
}

// anywhere is the required arguments in their order and the others between them, as often as the model likes: what comes
// twice is for the check.
func anywhere(all []property, i int) string {
	var optional []string
	for k, p := range all {
		if !p.required {
			optional = append(optional, fmt.Sprintf("tool-%d-arg-%d", i, k))
		}
	}
	gap := ""
	if len(optional) > 0 {
		gap = alt(optional) + "*"
		if len(optional) == 1 {
			gap = "( " + optional[0] + " )*"
		}
	}
	parts := []string{gap}
	for k, p := range all {
		if p.required {
			parts = append(parts, fmt.Sprintf("tool-%d-arg-%d", i, k), gap)
		}
	}
	return seq(parts...)
}

// chain is the arguments in their order from the k-th on, the optional ones at will.
func (w *output) chain(all []property, i, k int, some bool, sep string) string {
	if k == len(all) {
		return `""`
	}
	return w.rule(fmt.Sprintf("tool-%d-from-%d-%t", i, k, some), func() string {
		between := ""
		if some {
			between = grammar.Quote(sep)
		}
		with := seq(between, fmt.Sprintf("tool-%d-arg-%d", i, k), w.chain(all, i, k+1, true, sep))
		if all[k].required {
			return with
		}
		return alt([]string{with, w.chain(all, i, k+1, some, sep)})
	})
}
