package declared

import (
	"bytes"
	"regexp"
	"strings"

	"tenon/tools/format"
	"tenon/tools/lenient"
	"tenon/tools/peek"
)

// Elements reads elements whose tags stand behind noise; without any, those that stand bare.
type Elements struct {
	Noise string
	Open  bool // one has been seen
}

func elements(c format.Nested, tree string) Elements {
	if strings.Contains(tree, c.Noise) {
		return Elements{c.Noise, true}
	}
	return Elements{Open: true}
}

var elementTag = regexp.MustCompile(`^<([^<>/\s][^<>\n]*)>`)

// Tag tells whether the tag of an element stands at the start of text, its name, and how long the tag is.
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

// Nested reads the elements of a call's arguments. What the schema wants as text is text, whatever it looks like.
func (t *Tool) Nested(e Elements, tree string) []byte {
	var m MemberList
	for {
		name, inner, rest, ok := e.first(tree)
		if !ok {
			return m.Object()
		}
		m = append(m, Member{name, e.value(inner, find(t.Members, name))})
		tree = rest
	}
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
func Tree(d *format.Dialect, text string) []byte {
	text = string(peek.ReplaceInvalid([]byte(text)))
	c, _ := d.Codecs[0].(format.Nested)
	return elements(c, text).value(text, nil)
}

// find returns the property of a name, nil if there is none.
func find(all []Property, name string) *Property {
	for i := range all {
		if all[i].Key == name {
			return &all[i]
		}
	}
	return nil
}

// child is the property of an element inside of this one, nil where none is known.
func (p *Property) child(name string) *Property {
	switch {
	case p == nil || p.Inside == nil:
		return nil
	case p.Inside.Rest != nil:
		return p.Inside.Rest
	case p.Inside.Item != nil:
		return p.Inside.Item
	}
	return find(p.Inside.Members, name)
}

// chosen is which of the kinds of value that an element may have its text looks like.
func (e Elements) chosen(inner string, p *Property) *Property {
	if p == nil || p.Inside == nil || len(p.Inside.Either) == 0 {
		return p
	}
	tree := strings.TrimLeft(inner, " \t\r\n")
	var text *Property
	for i := range p.Inside.Either {
		switch q := &p.Inside.Either[i]; {
		case q.Kind == KindText:
			text = q
		case q.Kind == KindScalar: // the schema reads it
		case tree == "" && text == nil, strings.HasPrefix(tree, e.Noise+"<") && strings.HasPrefix(tree, e.Noise+"<item>") == (q.Inside.Item != nil):
			return q
		}
	}
	if len(p.Inside.Either) == 1 {
		return text
	}
	return nil
}

// value is that of an element: its items, its members, or its text for the schema to read. p says what is wanted; nil: anything.
func (e Elements) value(inner string, p *Property) []byte {
	p = e.chosen(inner, p)
	switch {
	case p != nil && p.Kind == KindText:
		return lenient.AppendString(nil, inner)
	case p != nil && p.Inside != nil && strings.TrimSpace(inner) == "" && p.Inside.Item != nil:
		return []byte("[]")
	case p != nil && p.Inside != nil && strings.TrimSpace(inner) == "":
		return []byte("{}")
	}
	var m MemberList
	rest := inner
	for {
		name, text, after, ok := e.first(rest)
		if !ok {
			break
		}
		m = append(m, Member{name, e.value(text, p.child(name))})
		rest = after
	}
	if len(m) == 0 || strings.TrimSpace(rest) != "" {
		return lenient.AppendString(nil, inner)
	}
	for _, e := range m {
		if e.Key != "item" {
			return m.Object()
		}
	}
	b := []byte{'['}
	for i, e := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e.Value...)
	}
	return append(b, ']')
}
