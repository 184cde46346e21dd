package declared

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"tenon/tools/conform"
	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/ordered"
	"tenon/tools/peek"
)

// Elements reads elements whose tags stand behind noise; without any, those that stand bare.
type Elements struct {
	Noise string
}

var elementTag = regexp.MustCompile(`^<([^<>/\s][^<>\n]*)>`)

// Tag tells whether the tag of an element stands at the start of text, its name, and how long the
// tag is.
func (e Elements) Tag(text []byte, final bool) (name string, n int, a peek.Answer) {
	if a := peek.Prefix(text, e.Noise+"<", final); a != peek.Yes {
		return "", 0, a
	}
	rest := text[len(e.Noise):]
	if bytes.IndexByte(rest[:min(len(rest), peek.MaxTag)], '>') < 0 {
		return "", 0, peek.Boolean(!final && len(rest) < peek.MaxTag, peek.Unknown)
	}
	at := elementTag.FindSubmatchIndex(rest)
	if at == nil {
		return "", 0, peek.No
	}
	return string(rest[at[2]:at[3]]), len(e.Noise) + at[1], peek.Yes
}

// first takes the first element off a text.
func (e Elements) first(tree string) (name, inner, rest string, ok bool) {
	tree, found := strings.CutPrefix(strings.TrimLeft(tree, " \t\r\n"), e.Noise)
	at := elementTag.FindStringSubmatchIndex(tree)
	if !found || at == nil {
		return "", "", "", false
	}
	name = tree[at[2]:at[3]]
	body := tree[at[1]:]
	open, end := e.Noise+"<"+name+">", e.Noise+"</"+name+">"
	depth := 1
	for i := 0; i < len(body); i++ {
		switch {
		case strings.HasPrefix(body[i:], open):
			depth++
		case strings.HasPrefix(body[i:], end):
			if depth--; depth == 0 {
				return name, body[:i], body[i+len(end):], true
			}
		}
	}
	return "", "", "", false
}

// Tree is the value of an argument that is written as elements.
func (t *Tool) Tree(key string, c format.Nested, text string) []byte {
	text = string(peek.ReplaceInvalid([]byte(text)))
	e := Elements{}
	if strings.Contains(text, c.Noise) {
		e.Noise = c.Noise
	}
	return t.value(e, text, t.Schema.Root().Inside(key))
}

// resolved follows the references of a schema into the members of the whole one.
func resolved(schema json.RawMessage, root ordered.MemberList) ordered.MemberList {
	m := ordered.Members(schema)
	for range maxHops {
		ref, ok := m.First("$ref")
		if !ok {
			break
		}
		pointer, _ := ordered.Text(ref)
		first, rest, deeper := strings.Cut(strings.TrimPrefix(pointer, "#/"), "/")
		target, _ := root.First(first)
		if deeper {
			target, _ = Resolve(target, "/"+rest)
		}
		m = ordered.Members(target)
	}
	return m
}

// maxHops bounds the references that lead from one to the next, and the unions inside of each
// other.
const maxHops = 8

// value is that of an element: its items, its members, or its text for the schema to read. at says
// what is wanted.
func (t *Tool) value(e Elements, inner string, at conform.Place) []byte {
	list, object, text := at.Takes("array"), at.Takes("object"), at.Takes("string")
	switch {
	case text && !list && !object:
		return lenient.AppendString(nil, inner)
	case strings.TrimSpace(inner) != "" || text:
	case list:
		return []byte("[]")
	case object:
		return []byte("{}")
	}
	var m ordered.MemberList
	rest := inner
	for {
		name, text, after, ok := e.first(rest)
		if !ok {
			break
		}
		m = append(m, ordered.Member{Key: name, Value: t.value(e, text, at.Inside(name))})
		rest = after
	}
	if len(m) == 0 || strings.TrimSpace(rest) != "" {
		return lenient.AppendString(nil, inner)
	}
	if slices.ContainsFunc(m, func(e ordered.Member) bool { return e.Key != "item" }) {
		return m.Object()
	}
	var items []json.RawMessage
	for _, e := range m {
		items = append(items, e.Value)
	}
	return ordered.Array(items...)
}
