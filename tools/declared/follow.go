package declared

import (
	"encoding/json"
	"slices"
	"strings"
)

// follower finds out what the value of one property holds. It goes as far into the schema as containers can say; a part that
// says more than is known here is any value in the mask, and left to the check behind the call.
type follower struct {
	whole json.RawMessage // the tool's schema: references begin there
	root  MemberList
	tool  string
	refs  map[string]*Container
	open  map[*Container]bool // that is being found out
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
func (p *Property) follow(schema, whole json.RawMessage) {
	f := &follower{whole: whole, root: Members(whole), tool: p.Tool, refs: map[string]*Container{}, open: map[*Container]bool{}}
	q := f.part(schema, 0)
	switch p.loose, p.mixed = f.loose, f.mixed; {
	case q.Kind == KindText: // what a whole argument is as text, its schema says otherwise
		p.Inside = &Container{Either: []Property{q}}
		p.mixed = true
	case q.Kind == KindScalar:
		p.Kind, p.Schema, p.Types = KindScalar, q.Schema, q.Types
	default:
		p.Inside = q.Inside
	}
}

// part is a property, a member or an item.
func (f *follower) part(schema json.RawMessage, depth int) Property {
	m := Members(schema)
	if ref, ok := m.First("$ref"); ok {
		return f.reference(ref, m, depth)
	}
	q := Property{Schema: withDefinitions(schema, f.root), Tool: f.tool, Kind: KindJSON}
	q.readTypes(m)
	switch {
	case isText(m, q.Types):
		q.Kind = KindText
	case scalars(q.Types):
		q.Kind = KindScalar
	case depth < maxInside && f.count < maxContainers:
		f.count++
		q.Inside = f.container(m, q.Types, depth)
	}
	if q.Kind == KindJSON && q.Inside == nil {
		f.loose = true
	}
	return q
}

// reference is what a $ref leads to, if nothing is said beside it.
func (f *follower) reference(ref json.RawMessage, m MemberList, depth int) Property {
	pointer, _ := Text(ref)
	if c, known := f.refs[pointer]; known {
		return Property{Tool: f.tool, Inside: c}
	}
	target, ok := Resolve(f.whole, strings.TrimPrefix(pointer, "#"))
	if !ok || !onlyKeywords(m, "$ref") || depth >= maxInside {
		f.loose = true
		return Property{Tool: f.tool}
	}
	c := &Container{Shared: true}
	f.refs[pointer], f.open[c] = c, true
	q := f.part(target, depth+1)
	switch {
	case q.Inside == nil:
		delete(f.refs, pointer)
	case f.open[q.Inside]: // it leads to nothing but itself
		f.loose = true
		return Property{Tool: f.tool}
	default:
		*c = *q.Inside
		c.Shared, q.Inside = true, c
	}
	delete(f.open, c)
	return q
}

// container is what an object, a list or one of several holds, nil where that is not known.
func (f *follower) container(m MemberList, types []string, depth int) *Container {
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := m.First(key); ok && onlyKeywords(m, key) {
			return f.either(Items(list), key == "oneOf", depth)
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

func onlyKeywords(m MemberList, known ...string) bool {
	return !slices.ContainsFunc(m, func(e Member) bool { return !slices.Contains(known, e.Key) && !slices.Contains(annotations, e.Key) })
}

// keywords are those that say something of the values of one type only.
var keywords = map[string][]string{
	"object": {"properties", "required", "additionalProperties"},
	"array":  {"items", "minItems", "maxItems"},
}

// withType is a schema for the values of one of its types.
func withType(m MemberList, name string) json.RawMessage {
	var all MemberList
	for _, e := range m {
		other := false
		for t, list := range keywords {
			other = other || t != name && slices.Contains(list, e.Key)
		}
		if e.Key != "type" && !other {
			all = append(all, e)
		}
	}
	return append(all, Member{"type", json.RawMessage(JsonString(name))}).Object()
}

// either is one of several parts, at most one of each kind but for numbers, booleans and null.
func (f *follower) either(schemas []json.RawMessage, exclusive bool, depth int) *Container {
	c := &Container{}
	var plain []string
	kinds := map[string]int{}
	for _, s := range schemas {
		q := f.part(s, depth+1)
		switch {
		case q.Kind == KindScalar:
			plain = append(plain, string(q.Schema))
			continue
		case q.Kind == KindText:
			kinds["text"]++
		case q.Inside == nil || f.open[q.Inside] || len(q.Inside.Either) > 0:
			return nil
		case q.Inside.Item != nil:
			kinds["list"]++
		default:
			kinds["object"]++
		}
		c.Either = append(c.Either, q)
	}
	if len(plain) > 0 {
		schema := json.RawMessage(plain[0])
		if len(plain) > 1 {
			schema = json.RawMessage(`{"anyOf":[` + strings.Join(plain, ",") + `]}`)
		}
		c.Either = append(c.Either, Property{Schema: schema, Tool: f.tool, Kind: KindScalar})
	}
	f.mixed = f.mixed || kinds["text"] > 0 || kinds["list"]+kinds["object"] > 1
	if len(c.Either) == 0 || kinds["text"] > 1 || kinds["list"] > 1 || kinds["object"] > 1 || exclusive && len(plain) > 1 {
		return nil
	}
	return c
}

// object admits the declared members only, which is less than a schema may that leaves others open. One that declares none may have any.
func (f *follower) object(m MemberList, depth int) *Container {
	raw, _ := m.First("properties")
	list, _ := m.First("required")
	extra, _ := m.First("additionalProperties")
	var required []string
	if json.Unmarshal(list, &required) != nil && list != nil {
		return nil
	}
	c := &Container{}
	for _, e := range Members(raw) {
		q := f.part(e.Value, depth+1)
		q.Key, q.Required = e.Key, slices.Contains(required, e.Key)
		c.Members = append(c.Members, q)
	}
	if slices.ContainsFunc(required, func(key string) bool { return find(c.Members, key) == nil }) {
		return nil
	}
	if len(c.Members) == 0 && string(extra) != "false" {
		if len(extra) == 0 {
			extra = json.RawMessage("true")
		}
		q := f.part(extra, depth+1)
		c.Rest = &q
		f.loose, f.mixed = true, true // one name may come twice
	}
	return c
}

func (f *follower) list(m MemberList, depth int) *Container {
	raw, ok := m.First("items")
	if !ok {
		raw = json.RawMessage("true")
	}
	item := f.part(raw, depth+1)
	c := &Container{Item: &item, Most: -1}
	for key, n := range map[string]*int{"minItems": &c.Least, "maxItems": &c.Most} {
		if v, bounded := m.First(key); bounded && (json.Unmarshal(v, n) != nil || *n < 0 || *n > maxItems) {
			return nil
		}
	}
	if c.Most >= 0 && c.Most < c.Least {
		return nil
	}
	return c
}

// isText tells whether all values that a schema allows are strings.
func isText(m MemberList, types []string) bool {
	if len(types) > 0 {
		return len(types) == 1 && types[0] == "string"
	}
	if v, ok := m.First("const"); ok {
		return v[0] == '"'
	}
	list, ok := m.First("enum")
	values := Items(list)
	return ok && len(values) > 0 && !slices.ContainsFunc(values, func(v json.RawMessage) bool { return !strings.HasPrefix(string(v), `"`) })
}
