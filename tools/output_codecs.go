package tools

import (
	"cmp"
	"slices"
	"strings"

	"tenon/grammar"
	"tenon/tools/lenient"
)

// How each codec writes a call, for the grammar that masks.

func (c jsonCodec) list() (open, between, end string) {
	if !c.array {
		return "", "", ""
	}
	return `"[" [ \n]{0,12}`, `[ \n]{0,12} "," [ \n]{0,12}`, `[ \n]{0,12} "]"`
}

func (c jsonCodec) begins(tool string) []string {
	open := ""
	if c.array {
		open = "["
	}
	return []string{open + `{"` + c.nameKey + `": ` + jsonString(tool)}
}

func jsonString(s string) string { return string(lenient.AppendString(nil, s)) }

func (c jsonCodec) write(w *output, t *declared, i int) string {
	inString := jsonString(t.prompt)
	name := capture(captureName, grammar.Quote(inString[1:len(inString)-1]))
	if c.nameIsKey {
		return seq(`"{\""`, name, `"\": "`, w.args(t, i), `"}"`)
	}
	gap, comma := "", `" "`
	if w.dialect.fenced {
		gap, comma = `[ \n]{0,12}`, `[ \n]{1,12}`
	}
	call := seq(gap, grammar.Quote(`"`+c.nameKey+`": "`), name, `"\","`, comma, grammar.Quote(`"`+c.argsKey+`": `), w.args(t, i), gap)
	if c.idKey == "" {
		return seq(`"{"`, call, `"}"`)
	}
	id := grammar.Quote(`"` + c.idKey + `": "`)
	if w.dialect.id == idInteger {
		return seq(`"{"`, id, `[0-9]{1,4}`, `"\", "`, call, `"}"`)
	}
	return seq(`"{"`, call, `", "`, id, `[a-zA-Z0-9_-]{1,40}`, `"\"}"`)
}

func (c jsonCodec) exact(t *declared) bool { return t.enforced() }

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
		parts = append(parts, w.args(t, i))
	}
	return seq(append(parts, w.lit(c.after))...)
}

// asJSONText tells that a format has JSON or plain text for every property.
func asJSONText(property) bool { return true }

// dictionary is an object with bare keys and strings between a family's own quotes.
func (w *output) dictionary(c namedCodec, t *declared, i int) string {
	quote := w.lit(c.quotes[0])
	w.rule("dict-value", func() string {
		scalar := grammar.JSON([]byte(`{"type":["number","boolean","null"]}`), grammar.SchemaOptions{Space: grammar.NoSpace, Numbers: grammar.CanonicalNumbers})
		return alt([]string{
			seq(quote, capture(captureText, w.until(c.quotes[0])), quote),
			capture(captureJSON, scalar),
			seq(`json:( "{" )`, `( dict-pair ( json:( "," ) dict-pair )* )?`, `json:( "}" )`),
			seq(`json:( "[" )`, `( dict-value ( json:( "," ) dict-value )* )?`, `json:( "]" )`),
		})
	})
	w.rule("dict-pair", func() string {
		return seq(capture(captureKey, dictionaryKey), `":" dict-value`)
	})
	body := w.members(t, i, ",", func(p property) string {
		value := w.dictionaryValue(c, p)
		if p.kind == kindInput {
			value = seq(quote, w.input(t, c.quotes[0]), quote)
		}
		return seq(grammar.Quote(p.key+":"), t.argument(p, value))
	})
	if t.anyMembers() {
		body = `( member:( dict-pair ) ( "," member:( dict-pair ) )* )?`
	}
	return seq(`"{"`, t.places(body), `"}"`, t.check())
}

func (c namedCodec) exact(t *declared) bool {
	if c.bareKeys {
		return t.enforcedMembers(property.followed)
	}
	return t.enforced()
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
	if t.anyMembers() {
		value := seq(capture(captureKey, `[^\n<>"]{1,120}`), w.lit(c.arg.close), gap, w.lit(c.value), line, capture(captureField, w.until(c.argEnd)))
		body = "( " + seq(w.lit(c.arg.open), capture(captureMember, value), line, w.lit(c.argEnd), gap) + " )*"
	}
	head := seq(w.lit(c.call.open), name(t))
	if c.index != "" {
		head = seq(head, w.lit(`"`+c.index), "[0-9]{1,4}", w.lit(c.call.close))
	} else {
		head = seq(head, w.lit(c.call.close), w.lit(c.nameEnd))
	}
	if c.callEnd == "" { // see late
		return seq(head, gap, t.places(body))
	}
	return seq(head, gap, t.places(body), w.lit(c.callEnd), t.check())
}

func (c taggedCodec) exact(t *declared) bool {
	return t.enforcedMembers(asJSONText)
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
		return t.argument(p, c.section(w.lit(cdataOpen), w.plain(p, cdataClose), w.lit(cdataClose), w.plain(p, c.ends()...)))
	case kindInput:
		return c.section(w.lit(cdataOpen), w.input(t, cdataClose), w.lit(cdataClose), w.input(t, c.ends()...))
	}
	return t.argument(p, capture(captureJSON, p.json(grammar.CommonEscapes)))
}

// ends are what text outside of a CDATA section must not hold.
func (c taggedCodec) ends() []string {
	if c.cdata {
		return []string{c.argEnd, cdataOpen}
	}
	return []string{c.argEnd}
}

// section is text in a CDATA section, where the family writes those, or without one.
func (c taggedCodec) section(open, inside, end, bare string) string {
	if !c.cdata {
		return bare
	}
	return alt([]string{seq(open, inside, end), bare})
}

func (c pythonicCodec) list() (open, between, end string) {
	switch {
	case c.listed:
		open, between, end = `"["`, `", "`, `"]"`
	case c.between != "":
		between = grammar.Quote(c.between)
	case c.fence.open != "":
		between = `"\n"`
	}
	if c.fence.open != "" {
		open = seq(grammar.Quote(c.fence.open), open)
		if c.fence.close != "" {
			end = seq(end, grammar.Quote(c.fence.close))
		}
	}
	return open, between, end
}

func (c pythonicCodec) begins(tool string) []string {
	switch {
	case c.fence.open != "":
		return []string{c.fence.open}
	case c.listed:
		return []string{"[" + tool + "("}
	}
	return []string{tool + c.method + "("}
}

func (c pythonicCodec) write(w *output, t *declared, i int) string {
	body := w.members(t, i, ", ", func(p property) string {
		key := grammar.Quote(p.key + cmp.Or(c.assign, "="))
		if p.kind == kindInput {
			return seq(key, `"\""`, w.quotedInput(t, i), `"\""`)
		}
		return seq(key, t.argument(p, p.python()))
	})
	return seq(name(t), grammar.Quote(c.method+"("), t.places(body), `")"`, t.check())
}

func (c pythonicCodec) exact(t *declared) bool {
	return t.enforcedMembers(asJSONText)
}

// python is a value as a Python literal: JSON, but for the words for booleans and nothing.
func (p property) python() string {
	boolean := `( true:( "True" | "true" ) | false:( "False" | "false" ) )`
	if p.typeName() == "boolean" && p.free {
		return boolean
	}
	value := capture(captureJSON, p.json(grammar.CanonicalEscapes))
	if slices.Contains(p.types, "null") {
		return "( " + value + ` | null:( "None" ) )`
	}
	return value
}

func (c nestedCodec) list() (open, between, end string) { return "", "", "" }
func (c nestedCodec) begins(string) []string            { return nil }

func (c nestedCodec) write(w *output, t *declared, i int) string {
	tag := func(text string) string { return w.lit(c.noise + text) }
	body := w.members(t, i, "", func(p property) string {
		end := c.noise + "</" + p.key + ">"
		value := w.elementValue(c, p, end)
		if p.kind == kindInput {
			value = w.input(t, end)
		}
		return seq(tag("<"+p.key+">"), t.argument(p, value), tag("</"+p.key+">"), `"\n"`)
	})
	return seq(tag(c.call.open), name(t), w.lit(c.call.close), `"\n"`, t.places(body), tag(c.callEnd), t.check())
}

func (c nestedCodec) exact(t *declared) bool { return t.enforcedMembers(property.followedElements) }

func (c reactCodec) list() (open, between, end string) { return "", "", "" }
func (c reactCodec) begins(string) []string            { return []string{c.action} }

func (c reactCodec) write(w *output, t *declared, i int) string {
	return seq(`" "?`, name(t), grammar.Quote("\n"+c.input+" "), w.args(t, i))
}

func (c reactCodec) exact(t *declared) bool { return t.enforced() }
