package tools

import (
	"bytes"
	"regexp"
	"strings"

	"tenon/tools/lenient"
)

// elements reads elements whose tags stand behind noise; without any, those that stand bare.
type elements struct {
	noise string
	open  bool // one has been seen
}

func (c nestedCodec) elements(tree string) elements {
	if strings.Contains(tree, c.noise) {
		return elements{c.noise, true}
	}
	return elements{open: true}
}

var elementTag = regexp.MustCompile(`^<([\pL_][\pL\pN_.-]*)>`)

// tag tells whether the tag of an element stands at the start of text, its name, and how long the tag is.
func (e elements) tag(text []byte, final bool) (name string, n int, a answer) {
	if a := hasPrefix(text, e.noise+"<", final); a != yes {
		return "", 0, a
	}
	rest := text[len(e.noise):]
	if bytes.IndexByte(rest[:min(len(rest), maxTag)], '>') < 0 {
		return "", 0, boolean(!final && len(rest) < maxTag, unknown)
	}
	at := elementTag.FindSubmatchIndex(rest)
	if at == nil {
		return "", 0, no
	}
	return string(rest[at[2]:at[3]]), len(e.noise) + at[1], yes
}

// nested reads the elements of a call's arguments. What the schema wants as text is text, whatever it looks like.
func (t *declared) nested(e elements, tree string) []byte {
	var m memberList
	for {
		name, inner, rest, ok := e.first(tree)
		if !ok {
			return m.object()
		}
		m = append(m, member{name, e.value(inner, find(t.members, name))})
		tree = rest
	}
}

// first takes the first element off a text.
func (e elements) first(tree string) (name, inner, rest string, ok bool) {
	tree, found := strings.CutPrefix(strings.TrimLeft(tree, " \t\r\n"), e.noise)
	at := elementTag.FindStringSubmatchIndex(tree)
	if !found || at == nil {
		return "", "", "", false
	}
	name = tree[at[2]:at[3]]
	body := tree[at[1]:]
	open, end := e.noise+"<"+name+">", e.noise+"</"+name+">"
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

// tree is the value of an argument that is written as elements.
func (d *Dialect) tree(text string) []byte {
	text = string(replaceInvalid([]byte(text)))
	c, _ := d.codecs[0].(nestedCodec)
	return c.elements(text).value(text, nil)
}

// find returns the property of a name, nil if there is none.
func find(all []property, name string) *property {
	for i := range all {
		if all[i].key == name {
			return &all[i]
		}
	}
	return nil
}

// child is the property of an element inside of this one, nil where none is known.
func (p *property) child(name string) *property {
	switch {
	case p == nil || p.inside == nil:
		return nil
	case p.inside.rest != nil:
		return p.inside.rest
	case p.inside.item != nil:
		return p.inside.item
	}
	return find(p.inside.members, name)
}

// chosen is which of the kinds of value that an element may have its text looks like.
func (e elements) chosen(inner string, p *property) *property {
	if p == nil || p.inside == nil || len(p.inside.either) == 0 {
		return p
	}
	tree := strings.TrimLeft(inner, " \t\r\n")
	var text *property
	for i := range p.inside.either {
		switch q := &p.inside.either[i]; {
		case q.kind == kindText:
			text = q
		case q.kind == kindScalar: // the schema reads it
		case tree == "" && text == nil, strings.HasPrefix(tree, e.noise+"<") && strings.HasPrefix(tree, e.noise+"<item>") == (q.inside.item != nil):
			return q
		}
	}
	if len(p.inside.either) == 1 {
		return text
	}
	return nil
}

// value is that of an element: its items, its members, or its text for the schema to read. p says what is wanted; nil: anything.
func (e elements) value(inner string, p *property) []byte {
	p = e.chosen(inner, p)
	switch {
	case p != nil && p.kind == kindText:
		return lenient.AppendString(nil, inner)
	case p != nil && p.inside != nil && strings.TrimSpace(inner) == "" && p.inside.item != nil:
		return []byte("[]")
	case p != nil && p.inside != nil && strings.TrimSpace(inner) == "":
		return []byte("{}")
	}
	var m memberList
	rest := inner
	for {
		name, text, after, ok := e.first(rest)
		if !ok {
			break
		}
		m = append(m, member{name, e.value(text, p.child(name))})
		rest = after
	}
	if len(m) == 0 || strings.TrimSpace(rest) != "" {
		return lenient.AppendString(nil, inner)
	}
	for _, e := range m {
		if e.key != "item" {
			return m.object()
		}
	}
	b := []byte{'['}
	for i, e := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, e.value...)
	}
	return append(b, ']')
}
