package emit

import (
	"bytes"
	"strings"

	"tenon/grammar"
	"tenon/tools/declared"
	"tenon/tools/ordered"
)

// dictionary is an object with bare keys and strings between a family's own quotes.
func (w *output) dictionary(c namedWriter, t *declared.Tool, i int) string {
	quote := w.lit(c.Quotes[0])
	w.rule("dict-value", func() string {
		scalar := grammar.JSON([]byte(`{"type":["number","boolean","null"]}`), grammar.SchemaOptions{Space: grammar.NoSpace, Numbers: grammar.CanonicalNumbers})
		return alt([]string{
			seq(quote, capture(CaptureText, w.until(c.Quotes[0])), quote),
			capture(CaptureJSON, scalar),
			"dict-object", "dict-array",
		})
	})
	w.rule("dict-object", func() string { return `json:( "{" ) ( dict-pair ( json:( "," ) dict-pair )* )? json:( "}" )` })
	w.rule("dict-array", func() string { return `json:( "[" ) ( dict-value ( json:( "," ) dict-value )* )? json:( "]" )` })
	w.rule("dict-pair", func() string {
		return seq(capture(CaptureKey, dictionaryKey), `":" dict-value`)
	})
	body := w.members(t, i, ",", func(p declared.Property) string {
		value := w.dictionaryValue(c, t, p, maxInside)
		if p.Kind == declared.KindInput {
			value = seq(quote, w.input(t, c.Quotes[0]), quote)
		}
		return seq(grammar.Quote(p.Key+":"), argument(p, value))
	})
	if t.AnyMembers() {
		body = `( member:( dict-pair ) ( "," member:( dict-pair ) )* )?`
	}
	return seq(`"{"`, places(t, body), `"}"`, check(t))
}

// dictionaryKey is a key that the schema does not say.
const dictionaryKey = `[a-zA-Z0-9_.$\-\U00000080-\U0010FFFF]{1,120}`

// The mask follows a schema so deep into lists and objects, and into so many of a turn. What it
// says more is left to the check behind the call.
const (
	maxInside   = 4
	maxFollowed = 256
)

// dictionaryValue is a value in a dictionary.
func (w *output) dictionaryValue(c namedWriter, t *declared.Tool, p declared.Property, depth int) string {
	quote := w.lit(c.Quotes[0])
	switch {
	case p.Kind == declared.KindText:
		return seq(quote, w.plain(p, c.Quotes[0]), quote)
	case p.Kind == declared.KindScalar:
		return capture(CaptureJSON, p.JSON(grammar.CommonEscapes))
	case p.Nullable != nil:
		return alt([]string{capture(CaptureJSON, `"null"`), w.dictionaryValue(c, t, *p.Nullable, depth)})
	}
	_, m := t.Part(p.Schema)
	w.followed++
	follows := depth > 0 && w.followed < maxFollowed
	switch kind := p.TypeName(); {
	case kind == "object" && follows:
		return w.dictionaryObject(c, t, m, depth-1)
	case kind == "array" && follows:
		items, _ := m.First("items")
		q, _ := t.Part(items)
		item := w.dictionaryValue(c, t, q, depth-1)
		return seq(`json:( "[" )`, "( "+item+` ( json:( "," ) `+item+" )* )?", `json:( "]" )`)
	case kind == "object" || kind == "array":
		return "dict-" + kind
	}
	return "dict-value"
}

// dictionaryObject is an object with the members that its schema declares, in any order.
func (w *output) dictionaryObject(c namedWriter, t *declared.Tool, m ordered.MemberList, depth int) string {
	properties, _ := m.First("properties")
	required, _ := m.First("required")
	parts := []string{`","`}
	for _, e := range ordered.Members(properties) {
		q, _ := t.Part(e.Value)
		part := "( " + seq(capture(CaptureKey, grammar.Quote(e.Key)), `":"`, w.dictionaryValue(c, t, q, depth)) + " )"
		if !bytes.Contains(required, []byte(ordered.String(e.Key))) {
			part += "?"
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return "dict-object"
	}
	return seq(`json:( "{" )`, "%each("+strings.Join(parts, " | ")+")", `json:( "}" )`)
}
