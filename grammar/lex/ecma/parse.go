package ecma

import (
	"strings"
	"unicode/utf8"
)

// parser reads Disjunction of ECMA-262 §22.2.1, with the harmless parts of Annex B, which
// lex.Arena.Regex names.
type parser struct {
	src   string
	pos   int
	depth int
	err   error
}

// Parse reads an ECMA-262 pattern with the flag u. The error is an [*Error] or ErrTooDeep.
func Parse(pattern string) (*Node, error) {
	p := &parser{src: pattern}
	n := p.alternation()
	if p.err == nil && p.pos < len(p.src) {
		p.fail(p.pos, Invalid, "unmatched )")
	}
	if p.err != nil {
		return nil, p.err
	}
	return n, nil
}

func (p *parser) fail(offset int, kind ErrorKind, why string) {
	if p.err == nil {
		p.err = &Error{p.src, offset, why, kind}
	}
	p.pos = len(p.src) // ends all loops
}

func (p *parser) more() bool { return p.pos < len(p.src) }

// peek reports whether the rest begins with s.
func (p *parser) peek(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

// take consumes s if the rest begins with it.
func (p *parser) take(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *parser) rune() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	p.pos += n
	return r
}

func (p *parser) alternation() *Node {
	n := &Node{Op: Alternate, Offset: p.pos}
	for {
		n.Subs = append(n.Subs, p.sequence())
		if !p.take("|") {
			break
		}
	}
	if len(n.Subs) == 1 {
		return n.Subs[0]
	}
	return seal(n)
}

func (p *parser) sequence() *Node {
	n := &Node{Op: Concat, Offset: p.pos}
	for p.more() && !p.peek("|") && !p.peek(")") {
		atom := p.atom()
		if atom == nil {
			break
		}
		n.Subs = append(n.Subs, p.quantified(atom))
	}
	return seal(n)
}

// seal computes Pure of n from that of its parts.
func seal(n *Node) *Node {
	switch n.Op {
	case Class, Concat, Alternate, Repeat:
		n.Pure = true
	}
	for _, s := range n.Subs {
		n.Pure = n.Pure && s.Pure
	}
	return n
}

func (p *parser) atom() *Node {
	start := p.pos
	switch c := p.src[p.pos]; c {
	case '^':
		p.pos++
		return &Node{Op: Begin, Offset: start}
	case '$':
		p.pos++
		return &Node{Op: End, Offset: start}
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '\\':
		return p.escape()
	case '*', '+', '?':
		p.fail(start, Invalid, "nothing to repeat")
		return nil
	case '{':
		if _, _, ok := p.braces(); ok {
			p.fail(start, Invalid, "nothing to repeat")
			return nil
		}
		p.pos = start
	case '.':
		p.pos++
		return classNode(start, lineEnds.Complement())
	}
	r := p.rune()
	return classNode(start, Set{{r, r}})
}

func classNode(offset int, set Set) *Node {
	return &Node{Op: Class, Offset: offset, Set: set, Pure: true}
}

// quantified reads the quantifier after atom, if any.
func (p *parser) quantified(atom *Node) *Node {
	lo, hi := 1, 1
	start := p.pos
	switch {
	case p.take("*"):
		lo, hi = 0, Unbounded
	case p.take("+"):
		hi = Unbounded
	case p.take("?"):
		lo = 0
	case p.peek("{"):
		l, h, ok := p.braces()
		if !ok {
			p.pos = start
			return atom
		}
		if h != Unbounded && l > h {
			p.fail(start, Invalid, "numbers out of order in quantifier")
			return atom
		}
		lo, hi = l, h
	default:
		return atom
	}
	p.take("?") // laziness does not change the language
	if atom.Op == Begin || atom.Op == End || atom.Op == WordBoundary {
		p.fail(start, Invalid, "nothing to repeat")
	}
	return seal(&Node{Op: Repeat, Offset: atom.Offset, Subs: []*Node{atom}, Min: lo, Max: hi})
}

// braces reads {m}, {m,} or {m,n}; anything else is literal text (Annex B).
func (p *parser) braces() (lo, hi int, ok bool) {
	p.take("{")
	lo, ok = p.count()
	if !ok {
		return 0, 0, false
	}
	hi = lo
	if p.take(",") {
		if hi, ok = p.count(); !ok {
			hi = Unbounded
		}
	}
	return lo, hi, p.take("}")
}

// count reads a decimal number; large ones saturate beyond any limit.
func (p *parser) count() (int, bool) {
	n, start := 0, p.pos
	for p.more() && '0' <= p.src[p.pos] && p.src[p.pos] <= '9' {
		n = min(n*10+int(p.src[p.pos]-'0'), maxCount)
		p.pos++
	}
	return n, p.pos > start
}

func (p *parser) group() *Node {
	start := p.pos
	p.pos++
	look := &Node{Offset: start}
	switch {
	case !p.peek("?") || p.take("?:"):
	case p.take("?="):
		look.Op = Lookahead
	case p.take("?!"):
		look.Op, look.Negate = Lookahead, true
	case p.peek("?<="), p.peek("?<!"):
		p.fail(start, Unsupported, "lookbehind")
		return nil
	case p.take("?<"):
		p.groupName(start)
	default:
		p.fail(start, Invalid, "unknown group syntax")
		return nil
	}
	if p.depth++; p.depth > MaxDepth {
		p.err = ErrTooDeep
		p.pos = len(p.src)
		return nil
	}
	body := p.alternation()
	p.depth--
	if !p.take(")") {
		p.fail(start, Invalid, "missing )")
		return nil
	}
	if look.Op == Lookahead {
		look.Subs = []*Node{body}
		return look
	}
	return body
}

func (p *parser) groupName(start int) {
	n := strings.IndexByte(p.src[p.pos:], '>')
	if n <= 0 {
		p.fail(start, Invalid, "bad group name")
		return
	}
	for i, r := range p.src[p.pos : p.pos+n] {
		if !isIdentifierRune(r, i == 0) {
			p.fail(p.pos+i, Invalid, "bad group name")
			return
		}
	}
	p.pos += n + 1
}
