package tools

import (
	"encoding/json"
	"slices"
	"strings"
)

// follower finds out what the value of one property holds. It goes as far into the schema as containers can say; a part that
// says more than is known here is any value in the mask, and left to the check behind the call.
type follower struct {
	whole json.RawMessage // the tool's schema: references begin there
	root  memberList
	tool  string
	refs  map[string]*container
	open  map[*container]bool // that is being found out
	count int
	// loose: the mask admits more than the schema in some place. mixed: in some place it cannot tell from an element's text which
	// of several kinds of value that is.
	loose, mixed bool
}

// Schemas are followed so deep, lists so long, where their length is bounded, and into so many containers.
const (
	maxInside     = 8
	maxItems      = 64
	maxContainers = 128
)

// follow finds out what the value of a property holds, if it is no plain text.
func (p *property) follow(schema, whole json.RawMessage) {
	f := &follower{whole: whole, root: members(whole), tool: p.tool, refs: map[string]*container{}, open: map[*container]bool{}}
	q := f.part(schema, 0)
	switch p.loose, p.mixed = f.loose, f.mixed; {
	case q.kind == kindText: // what a whole argument is as text, its schema says otherwise
		p.inside = &container{either: []property{q}}
		p.mixed = true
	case q.kind == kindScalar:
		p.kind, p.schema, p.types = kindScalar, q.schema, q.types
	default:
		p.inside = q.inside
	}
}

// part is a property, a member or an item.
func (f *follower) part(schema json.RawMessage, depth int) property {
	m := members(schema)
	if ref, ok := m.first("$ref"); ok {
		return f.reference(ref, m, depth)
	}
	q := property{schema: withDefinitions(schema, f.root), tool: f.tool, kind: kindJSON}
	q.readTypes(m)
	switch {
	case isText(m, q.types):
		q.kind = kindText
	case scalars(q.types):
		q.kind = kindScalar
	case depth < maxInside && f.count < maxContainers:
		f.count++
		q.inside = f.container(m, q.types, depth)
	}
	if q.kind == kindJSON && q.inside == nil {
		f.loose = true
	}
	return q
}

// reference is what a $ref leads to, if nothing is said beside it.
func (f *follower) reference(ref json.RawMessage, m memberList, depth int) property {
	pointer, _ := text(ref)
	if c, known := f.refs[pointer]; known {
		return property{tool: f.tool, inside: c}
	}
	target, ok := resolve(f.whole, strings.TrimPrefix(pointer, "#"))
	if !ok || !onlyKeywords(m, "$ref") || depth >= maxInside {
		f.loose = true
		return property{tool: f.tool}
	}
	c := &container{shared: true}
	f.refs[pointer], f.open[c] = c, true
	q := f.part(target, depth+1)
	switch {
	case q.inside == nil:
		delete(f.refs, pointer)
	case f.open[q.inside]: // it leads to nothing but itself
		f.loose = true
		return property{tool: f.tool}
	default:
		*c = *q.inside
		c.shared, q.inside = true, c
	}
	delete(f.open, c)
	return q
}

// container is what an object, a list or one of several holds, nil where that is not known.
func (f *follower) container(m memberList, types []string, depth int) *container {
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := m.first(key); ok && onlyKeywords(m, key) {
			return f.either(items(list), key == "oneOf", depth)
		}
	}
	switch {
	case len(types) > 1:
		var all []json.RawMessage
		for _, t := range types {
			all = append(all, withType(m, t))
		}
		return f.either(all, false, depth)
	case len(types) == 0:
	case types[0] == "object" && onlyKeywords(m, "type", "properties", "required", "additionalProperties"):
		return f.object(m, depth)
	case types[0] == "array" && onlyKeywords(m, "type", "items", "minItems", "maxItems"):
		return f.list(m, depth)
	}
	return nil
}

func onlyKeywords(m memberList, known ...string) bool {
	return !slices.ContainsFunc(m, func(e member) bool { return !slices.Contains(known, e.key) && !slices.Contains(annotations, e.key) })
}

// keywords are those that say something of the values of one type only.
var keywords = map[string][]string{
	"object": {"properties", "required", "additionalProperties"},
	"array":  {"items", "minItems", "maxItems"},
}

// withType is a schema for the values of one of its types.
func withType(m memberList, name string) json.RawMessage {
	var all memberList
	for _, e := range m {
		other := false
		for t, list := range keywords {
			other = other || t != name && slices.Contains(list, e.key)
		}
		if e.key != "type" && !other {
			all = append(all, e)
		}
	}
	return append(all, member{"type", json.RawMessage(jsonString(name))}).object()
}

// either is one of several parts, at most one of each kind but for numbers, booleans and null.
func (f *follower) either(schemas []json.RawMessage, exclusive bool, depth int) *container {
	c := &container{}
	var plain []string
	kinds := map[string]int{}
	for _, s := range schemas {
		q := f.part(s, depth+1)
		switch {
		case q.kind == kindScalar:
			plain = append(plain, string(q.schema))
			continue
		case q.kind == kindText:
			kinds["text"]++
		case q.inside == nil || f.open[q.inside] || len(q.inside.either) > 0:
			return nil
		case q.inside.item != nil:
			kinds["list"]++
		default:
			kinds["object"]++
		}
		c.either = append(c.either, q)
	}
	if len(plain) > 0 {
		schema := json.RawMessage(plain[0])
		if len(plain) > 1 {
			schema = json.RawMessage(`{"anyOf":[` + strings.Join(plain, ",") + `]}`)
		}
		c.either = append(c.either, property{schema: schema, tool: f.tool, kind: kindScalar})
	}
	f.mixed = f.mixed || kinds["text"] > 0 || kinds["list"]+kinds["object"] > 1
	if len(c.either) == 0 || kinds["text"] > 1 || kinds["list"] > 1 || kinds["object"] > 1 || exclusive && len(plain) > 1 {
		return nil
	}
	return c
}

// object admits the declared members only, which is less than a schema may that leaves others open. One that declares none may have any.
func (f *follower) object(m memberList, depth int) *container {
	raw, _ := m.first("properties")
	list, _ := m.first("required")
	extra, _ := m.first("additionalProperties")
	var required []string
	if json.Unmarshal(list, &required) != nil && list != nil {
		return nil
	}
	c := &container{}
	for _, e := range members(raw) {
		q := f.part(e.value, depth+1)
		q.key, q.required = e.key, slices.Contains(required, e.key)
		c.members = append(c.members, q)
	}
	if slices.ContainsFunc(required, func(key string) bool { return find(c.members, key) == nil }) {
		return nil
	}
	if len(c.members) == 0 && string(extra) != "false" {
		if len(extra) == 0 {
			extra = json.RawMessage("true")
		}
		q := f.part(extra, depth+1)
		c.rest = &q
		f.loose, f.mixed = true, true // one name may come twice
	}
	return c
}

func (f *follower) list(m memberList, depth int) *container {
	raw, ok := m.first("items")
	if !ok {
		raw = json.RawMessage("true")
	}
	item := f.part(raw, depth+1)
	c := &container{item: &item, most: -1}
	for key, n := range map[string]*int{"minItems": &c.least, "maxItems": &c.most} {
		if v, bounded := m.first(key); bounded && (json.Unmarshal(v, n) != nil || *n < 0 || *n > maxItems) {
			return nil
		}
	}
	if c.most >= 0 && c.most < c.least {
		return nil
	}
	return c
}

// isText tells whether all values that a schema allows are strings.
func isText(m memberList, types []string) bool {
	if len(types) > 0 {
		return len(types) == 1 && types[0] == "string"
	}
	if v, ok := m.first("const"); ok {
		return v[0] == '"'
	}
	list, ok := m.first("enum")
	values := items(list)
	return ok && len(values) > 0 && !slices.ContainsFunc(values, func(v json.RawMessage) bool { return !strings.HasPrefix(string(v), `"`) })
}
