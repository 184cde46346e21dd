package tools

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"tenon/grammar"
)

// container is what an object or a list holds that a family writes in its own way (Gemma's dictionaries, MiniMax's elements), where
// the mask follows the schema into it. It says all that the schema says: what it does not, is not followed.
type container struct {
	members     []property // of an object
	item        *property  // of a list; nil: it is an object
	least, most int        // items of a list; most < 0: any number
}

// Containers are followed so deep, and lists so long, where their length is bounded.
const (
	maxInside = 8
	maxItems  = 64
)

// follow finds out what the value of a property holds, if it is an object or a list. A schema that says more than is known here is
// left to the check behind the call.
func (p *property) follow(m memberList, depth int) {
	switch {
	case depth == maxInside || len(p.types) != 1:
	case p.types[0] == "object" && onlyKeywords(m, "type", "properties", "required", "additionalProperties"):
		p.inside = p.followObject(m, depth)
	case p.types[0] == "array" && onlyKeywords(m, "type", "items", "minItems", "maxItems"):
		p.inside = p.followList(m, depth)
	}
}

func onlyKeywords(m memberList, known ...string) bool {
	return !slices.ContainsFunc(m, func(e member) bool { return !slices.Contains(known, e.key) && !slices.Contains(annotations, e.key) })
}

// followObject admits the declared members only, which is less than a schema may that leaves others open.
func (p *property) followObject(m memberList, depth int) *container {
	raw, _ := m.first("properties")
	list, _ := m.first("required")
	var required []string
	if json.Unmarshal(list, &required) != nil && list != nil {
		return nil
	}
	c := &container{}
	for _, e := range members(raw) {
		q, ok := p.part(e.value, depth)
		if !ok {
			return nil
		}
		q.key, q.required = e.key, slices.Contains(required, e.key)
		c.members = append(c.members, q)
	}
	declared := func(key string) bool {
		return slices.ContainsFunc(c.members, func(q property) bool { return q.key == key })
	}
	if len(c.members) == 0 || slices.ContainsFunc(required, func(key string) bool { return !declared(key) }) {
		return nil
	}
	return c
}

func (p *property) followList(m memberList, depth int) *container {
	raw, ok := m.first("items")
	if !ok {
		return nil
	}
	item, ok := p.part(raw, depth)
	c := &container{item: &item, most: -1}
	for key, n := range map[string]*int{"minItems": &c.least, "maxItems": &c.most} {
		if v, bounded := m.first(key); bounded && (json.Unmarshal(v, n) != nil || *n < 0 || *n > maxItems) {
			return nil
		}
	}
	if !ok || c.most >= 0 && c.most < c.least {
		return nil
	}
	return c
}

// part is a member or an item. It is false where its schema is not followed.
func (p *property) part(schema json.RawMessage, depth int) (property, bool) {
	m := members(schema)
	q := property{schema: schema, tool: p.tool, kind: kindJSON}
	q.readTypes(m)
	switch {
	case isText(m, q.types):
		q.kind = kindText
	case scalars(q.types):
		q.kind = kindScalar
	default:
		q.follow(m, depth+1)
	}
	return q, q.kind != kindJSON || q.inside != nil
}

// isText tells whether all values that a schema allows are strings.
func isText(m memberList, types []string) bool {
	if len(types) > 0 {
		return len(types) == 1 && types[0] == "string"
	}
	list, ok := m.first("enum")
	values := items(list)
	return ok && len(values) > 0 && !slices.ContainsFunc(values, func(v json.RawMessage) bool { return !strings.HasPrefix(string(v), `"`) })
}

// followed tells whether the mask follows the schema into a property that is not written as JSON.
func (p property) followed() bool {
	return p.kind == kindText || p.kind == kindScalar || p.inside != nil
}

// repeat is an item so many times, sep between.
func repeat(item, sep string, c *container) string {
	switch {
	case c.most == 0:
		return `""`
	case c.most == 1:
		return optional(item, c.least == 0)
	}
	bounds := "{" + strconv.Itoa(max(c.least-1, 0)) + ","
	if c.most > 0 {
		bounds += strconv.Itoa(c.most - 1)
	}
	return optional(seq(item, "( "+seq(sep, item)+" )"+bounds+"}"), c.least == 0)
}

func optional(expr string, may bool) string {
	if may {
		return "( " + expr + " )?"
	}
	return expr
}

// dictionaryValue is a value in a dictionary with bare keys.
func (w *output) dictionaryValue(c namedCodec, p property) string {
	quote := w.lit(c.quotes[0])
	switch {
	case p.kind == kindText:
		return seq(quote, w.plain(p, c.quotes[0]), quote)
	case p.kind == kindScalar:
		return capture(captureJSON, p.json(grammar.CommonEscapes))
	case p.inside == nil:
		return "dict-value"
	case p.inside.item != nil:
		item := capture(captureItem, w.dictionaryValue(c, *p.inside.item))
		return capture(captureList, seq(`"["`, repeat(item, `","`, p.inside), `"]"`))
	}
	body := w.inside(p.inside, `","`, func(q property) string {
		return seq(capture(captureKey, grammar.Quote(q.key)), `":"`, w.dictionaryValue(c, q))
	})
	return capture(captureObject, seq(`"{"`, body, `"}"`))
}

// elementValue is a value between the tags of an element, of which end is the closing one.
func (w *output) elementValue(c nestedCodec, p property, end string) string {
	tag := func(text string) string { return w.lit(c.noise + text) }
	switch {
	case p.kind == kindText:
		return w.plain(p, end)
	case p.kind == kindScalar:
		return capture(captureJSON, p.json(grammar.CommonEscapes))
	case p.inside == nil:
		return capture(captureTree, w.until(end))
	case p.inside.item != nil:
		value := w.elementValue(c, *p.inside.item, c.noise+"</item>")
		return capture(captureList, repeat(seq(tag("<item>"), capture(captureItem, value), tag("</item>")), "", p.inside))
	}
	return capture(captureObject, w.inside(p.inside, `""`, func(q property) string {
		end := c.noise + "</" + q.key + ">"
		return seq(w.lit(c.noise+"<"), capture(captureKey, grammar.Quote(q.key)), w.lit(">"), w.elementValue(c, q, end), w.lit(end))
	}))
}

// inside is the members of an object in any order.
func (w *output) inside(c *container, sep string, write func(property) string) string {
	parts := []string{sep}
	for _, q := range c.members {
		part := "( " + write(q) + " )"
		if !q.required {
			part += "?"
		}
		parts = append(parts, part)
	}
	return "%each(" + strings.Join(parts, " | ") + ")"
}
