package tools

import (
	"encoding/json"
	"iter"
	"slices"
	"strconv"
	"strings"

	"tenon/grammar"
	"tenon/tools/conform"
)

// Narrow is the grammar of the same turn under which a call is written anew that was at fault. faults are all that was wrong with the
// call so far, the present one last; output is the turn's up to the mark that ended it, of which the first keep bytes stay.
//
// It differs from [Plan.Grammar] in the schema of the one tool: a value that failed cannot come again, and the part of the
// schema that it failed holds at its place by itself, free of what made it too hard for the mask as a whole. It is false if nothing can be
// said that refuses the output and accepts what is to stay of it.
func (p *Plan) Narrow(faults []*Fault, output iter.Seq2[[]byte, bool], keep int) (string, bool) {
	for _, exact := range []bool{true, false} {
		q := p.narrowed(faults, exact)
		text := q.grammarText()
		if refuses(text, output, keep) {
			return text, true
		}
	}
	return "", false
}

// narrowed is the plan with a schema for the tool at fault that its latest arguments do not fit.
func (p *Plan) narrowed(faults []*Fault, exact bool) *Plan {
	q := *p
	q.tools = slices.Clone(p.tools)
	t := &q.tools[faults[len(faults)-1].tool]
	whole := t.wire
	for _, f := range faults {
		for _, place := range f.places {
			for _, c := range constraints(place, whole, exact) {
				t.wire = constrain(t.wire, place.Path, c)
			}
		}
	}
	t.members = t.properties()
	return &q
}

// refuses tells whether a grammar accepts what is to stay of an output, but not all of it.
func refuses(text string, output iter.Seq2[[]byte, bool], keep int) bool {
	g, err := grammar.Parse(text, grammar.Options{Lenient: true})
	if err != nil {
		return false // nothing is left that the call could be
	}
	r, read := g.Parser(), 0
	for piece, symbol := range output {
		if symbol {
			err = r.FeedSymbol(string(piece))
		} else {
			err = r.Feed(piece)
		}
		if err != nil {
			return read+len(piece) > keep // the token that crosses the place is written anew too
		}
		read += len(piece)
	}
	return false
}

// constraints are schemas that a value in the place at fault must fit beside what it was to fit anyway.
func constraints(f conform.Fault, whole json.RawMessage, exact bool) []json.RawMessage {
	var all []json.RawMessage
	if f.Value != nil {
		all = append(all, memberList{{"not", memberList{{"const", f.Value}}.object()}}.object())
	}
	sub, ok := resolve(whole, f.Schema)
	if !exact || !ok {
		return all
	}
	pattern, _ := members(sub).first("pattern")
	if s, ok := text(pattern); ok {
		if weaker, ok := relax(s); ok {
			all = append(all, memberList{{"pattern", json.RawMessage(jsonString(weaker))}}.object())
		}
	}
	return append(all, sub)
}

// resolve finds a part of a schema by its JSON pointer. The schema itself is none.
func resolve(schema json.RawMessage, pointer string) (json.RawMessage, bool) {
	steps := strings.Split(pointer, "/")
	if len(steps) < 2 {
		return nil, false
	}
	for _, step := range steps[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		i, err := strconv.Atoi(step)
		sub, ok := members(schema).first(step)
		if list := items(schema); !ok && err == nil && i >= 0 && i < len(list) {
			sub, ok = list[i], true
		}
		if !ok {
			return nil, false
		}
		schema = sub
	}
	return schema, true
}

// constrain adds a constraint on what stands at a path to a schema: as near to the place as the schema names it, since codecs
// that give each argument a place of its own look at each property's schema alone.
func constrain(schema json.RawMessage, path []string, c json.RawMessage) json.RawMessage {
	if len(path) == 0 {
		return both(require(schema, c), c)
	}
	m := members(schema)
	properties, _ := m.first("properties")
	named := members(properties)
	for i := range named {
		if named[i].key == path[0] {
			named[i].value = both(named[i].value, nest(schema, path[1:], c))
			return m.with("properties", named.object()).object()
		}
	}
	return both(schema, nest(schema, path, c))
}

// both is a schema for what fits two.
func both(schema, c json.RawMessage) json.RawMessage {
	m := members(schema)
	if _, ref := m.first("$ref"); m == nil || ref { // in older drafts nothing beside a reference counts
		return memberList{{"allOf", array(schema, c)}}.object()
	}
	all, _ := m.first("allOf")
	return m.with("allOf", array(append(items(all), c)...)).object()
}

// require has a schema demand the keys that a constraint demands: codecs look for them there.
func require(schema, c json.RawMessage) json.RawMessage {
	more, ok := members(c).first("required")
	if !ok || members(schema) == nil {
		return schema
	}
	old, _ := members(schema).first("required")
	return members(schema).with("required", array(append(items(old), items(more)...)...)).object()
}

// maxElement is the last element of an array that a constraint is made for; beyond it the whole array is at fault.
const maxElement = 1000

// nest makes a constraint of what leads to a value out of one on the value. A step may be a key or an index: each of the two
// keywords concerns its own type only.
func nest(root json.RawMessage, path []string, c json.RawMessage) json.RawMessage {
	for i := len(path) - 1; i >= 0; i-- {
		m := memberList{{"properties", memberList{{path[i], c}}.object()}}
		if n, err := strconv.Atoi(path[i]); err == nil && n >= 0 && n <= maxElement {
			elements := append(slices.Repeat([]json.RawMessage{json.RawMessage("true")}, n), c)
			m = append(m, member{tupleKeyword(root), array(elements...)})
		}
		c = m.object()
	}
	return c
}

// tupleKeyword is what names the schemas of an array's first elements: another word before draft 2020-12.
func tupleKeyword(root json.RawMessage) string {
	draft, _ := members(root).first("$schema")
	for _, old := range []string{"draft-04", "draft-06", "draft-07", "2019-09"} {
		if strings.Contains(string(draft), old) {
			return "items"
		}
	}
	return "prefixItems"
}

// with replaces a member or adds it.
func (m memberList) with(key string, value json.RawMessage) memberList {
	out := slices.DeleteFunc(slices.Clone(m), func(e member) bool { return e.key == key })
	return append(out, member{key, value})
}

func array(all ...json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
