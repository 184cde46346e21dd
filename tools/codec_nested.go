package tools

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"tenon/tools/lenient"
)

// nestedCodec reads calls whose arguments are XML all the way down: <k>v</k> for a member, <item> for an array's items.
// noise stands before every tag and says nothing.
type nestedCodec struct {
	noise   string
	call    span // around the name
	callEnd string
}

func (c nestedCodec) openers() []string { return []string{c.noise + c.call.open, c.call.open} }
func (c nestedCodec) inner() []string   { return []string{c.noise + c.callEnd, c.callEnd, c.noise} }

func (c nestedCodec) starts(o opening, body []byte, final bool) answer {
	if slices.Contains(c.openers(), o.marker) {
		return yes
	}
	i := skipSpace(body, 0)
	if i == len(body) {
		return boolean(!final, unknown)
	}
	_, a := anyPrefix(body[i:], c.openers(), final)
	return a
}

func (c nestedCodec) scanner(o opening) scanner {
	s := &nestedScanner{nestedCodec: c, opening: o}
	s.inName = o.marker == c.call.open || o.marker == c.noise+c.call.open
	s.noisy = o.marker != c.call.open
	return s
}

// nestedScanner finds the end of each call; the tree is built once the call is whole.
type nestedScanner struct {
	nestedCodec
	opening
	pos    int
	from   int // of the call
	inName bool
	inCall bool
	noisy  bool // the call was opened with noise, and is closed so
	spans  [][2]int
	stop   int
}

func (s *nestedScanner) end() int     { return s.stop }
func (s *nestedScanner) soft() int    { return 0 }
func (s *nestedScanner) reached() int { return s.pos }
func (s *nestedScanner) whole() bool  { return !s.inCall && len(s.spans) > 0 }

func (s *nestedScanner) step(body []byte, final bool) status {
	for s.pos < len(body) {
		if st, again := s.advance(body, final); !again {
			return st
		}
	}
	if !final {
		return open
	}
	return s.leave(len(body))
}

func (s *nestedScanner) advance(body []byte, final bool) (status, bool) {
	rest := body[s.pos:]
	switch {
	case s.inName:
		return s.name(body, final)
	case s.inCall:
		ends := []string{s.noise + s.callEnd}
		if !s.noisy {
			ends = append(ends, s.callEnd)
		}
		t, a := anyPrefix(rest, ends, final)
		if a == unknown {
			return open, false
		}
		if a == yes {
			s.spans = append(s.spans, [2]int{s.from, s.pos})
			s.inCall = false
		}
		s.pos += max(len(t), 1)
		return open, true
	case isSpace(rest[0]):
		s.pos++
		return open, true
	}
	return s.between(body, final)
}

func (s *nestedScanner) name(body []byte, final bool) (status, bool) {
	n := bytes.IndexByte(body[s.pos:], '>')
	if n < 0 {
		if final || len(body)-s.pos > maxTag {
			return s.leave(s.from), false
		}
		return open, false
	}
	if _, ok := s.plan.resolve(attribute(string(body[s.pos : s.pos+n]))); !ok {
		return s.leave(s.from), false
	}
	s.from = s.pos
	s.pos += n + 1
	s.inName, s.inCall = false, true
	return open, true
}

func (s *nestedScanner) between(body []byte, final bool) (status, bool) {
	rest := body[s.pos:]
	t, a := anyPrefix(rest, s.openers(), final)
	if a == yes {
		s.noisy = t != s.call.open
		s.from = s.pos
		s.pos += len(t)
		s.inName = true
		return open, true
	}
	own, b := anyPrefix(rest, s.plan.closers[s.marker], final)
	switch {
	case a == unknown || b == unknown:
		return open, false
	case b == yes:
		return s.leave(s.pos + len(own)), false
	}
	return s.leave(s.pos), false
}

func (s *nestedScanner) leave(i int) status {
	s.stop = i
	if len(s.spans) == 0 && !s.inCall {
		return rejected
	}
	return ended
}

func (s *nestedScanner) calls(body []byte) ([]rawCall, error) {
	all := make([]rawCall, len(s.spans), len(s.spans)+1)
	for i, at := range s.spans {
		head, tree, _ := strings.Cut(string(body[at[0]:at[1]]), ">")
		name := attribute(head)
		m, _ := s.plan.resolve(name)
		all[i] = rawCall{name: name, source: body[at[0]:at[1]], args: s.plan.tools[m.tool].nested(s.elements(tree), tree), untyped: true}
	}
	if s.inCall {
		all = append(all, rawCall{source: body[s.from:s.stop], err: errUnclosedCall})
	}
	return all, nil
}

var errUnclosedCall = errors.New("a call is never closed")

// elements reads elements whose tags stand behind noise; without any, those that stand bare.
type elements struct{ noise string }

func (c nestedCodec) elements(tree string) elements {
	if strings.Contains(tree, c.noise) {
		return elements{c.noise}
	}
	return elements{}
}

var elementTag = regexp.MustCompile(`^<([\pL_][\pL\pN_.-]*)>`)

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
