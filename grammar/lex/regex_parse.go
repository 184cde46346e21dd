package lex

import (
	"strings"
	"unicode/utf8"
)

// regexParser reads Disjunction of ECMA-262 §22.2.1 (with the parts of Annex B named at [Arena.Regex]).
type regexParser struct {
	src   string
	pos   int
	depth int
	fold  bool // letters stand for their other cases, too
	dot   runeSet
	err   error
}

func parseRegex(pattern string) (*regexNode, error) {
	p := &regexParser{src: pattern, dot: lineEnds.complement()}
	n := p.alternation()
	if p.err == nil && p.pos < len(p.src) {
		p.fail(p.pos, Invalid, "unmatched )")
	}
	if p.err != nil {
		return nil, p.err
	}
	return n, nil
}

func (p *regexParser) fail(offset int, kind RegexErrorKind, why string) {
	if p.err == nil {
		p.err = &RegexError{p.src, offset, why, kind}
	}
	p.pos = len(p.src) // ends all loops
}

func (p *regexParser) more() bool { return p.pos < len(p.src) }

// peek reports whether the rest begins with s.
func (p *regexParser) peek(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

// take consumes s if the rest begins with it.
func (p *regexParser) take(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *regexParser) rune() rune {
	r, n := utf8.DecodeRuneInString(p.src[p.pos:])
	p.pos += n
	return r
}

func (p *regexParser) alternation() *regexNode {
	n := &regexNode{op: reAlternate, offset: p.pos}
	for {
		n.subs = append(n.subs, p.sequence())
		if !p.take("|") {
			break
		}
	}
	if len(n.subs) == 1 {
		return n.subs[0]
	}
	return seal(n)
}

func (p *regexParser) sequence() *regexNode {
	n := &regexNode{op: reConcat, offset: p.pos}
	for p.more() && !p.peek("|") && !p.peek(")") {
		atom := p.atom()
		if atom == nil {
			break
		}
		n.subs = append(n.subs, p.quantified(atom))
	}
	return seal(n)
}

// seal computes purity, which must be known before a parent asks for it.
func seal(n *regexNode) *regexNode {
	switch n.op {
	case reClass, reConcat, reAlternate, reRepeat:
		n.pure = true
	}
	for _, s := range n.subs {
		n.pure = n.pure && s.pure
	}
	return n
}

func (p *regexParser) atom() *regexNode {
	start := p.pos
	switch c := p.src[p.pos]; c {
	case '^':
		p.pos++
		return &regexNode{op: reBegin, offset: start}
	case '$':
		p.pos++
		return &regexNode{op: reEnd, offset: start}
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
		return classNode(start, p.dot)
	}
	r := p.rune()
	return classNode(start, p.cased(runeSet{{r, r}}))
}

// cased adds the other cases of the letters in a set, where case does not matter.
func (p *regexParser) cased(set runeSet) runeSet {
	if !p.fold {
		return set
	}
	return set.folded()
}

func classNode(offset int, set runeSet) *regexNode {
	return &regexNode{op: reClass, offset: offset, set: set, pure: true}
}

// quantified reads the quantifier after atom, if any.
func (p *regexParser) quantified(atom *regexNode) *regexNode {
	lo, hi := 1, 1
	start := p.pos
	switch {
	case p.take("*"):
		lo, hi = 0, unbounded
	case p.take("+"):
		hi = unbounded
	case p.take("?"):
		lo = 0
	case p.peek("{"):
		l, h, ok := p.braces()
		if !ok {
			p.pos = start
			return atom
		}
		if h != unbounded && l > h {
			p.fail(start, Invalid, "numbers out of order in quantifier")
			return atom
		}
		lo, hi = l, h
	default:
		return atom
	}
	p.take("?") // laziness does not change the language
	if atom.op == reBegin || atom.op == reEnd || atom.op == reWordBoundary || atom.op == reLookbehind {
		p.fail(start, Invalid, "nothing to repeat")
	}
	return seal(&regexNode{op: reRepeat, offset: atom.offset, subs: []*regexNode{atom}, min: lo, max: hi})
}

// braces reads {m}, {m,} or {m,n}; anything else is literal text (Annex B).
func (p *regexParser) braces() (lo, hi int, ok bool) {
	p.take("{")
	lo, ok = p.count()
	if !ok {
		return 0, 0, false
	}
	hi = lo
	if p.take(",") {
		if hi, ok = p.count(); !ok {
			hi = unbounded
		}
	}
	return lo, hi, p.take("}")
}

// count reads a decimal number; large ones saturate beyond any limit.
func (p *regexParser) count() (int, bool) {
	n, start := 0, p.pos
	for p.more() && '0' <= p.src[p.pos] && p.src[p.pos] <= '9' {
		n = min(n*10+int(p.src[p.pos]-'0'), huge)
		p.pos++
	}
	return n, p.pos > start
}

func (p *regexParser) group() *regexNode {
	start := p.pos
	p.pos++
	defer func(fold bool, dot runeSet) { p.fold, p.dot = fold, dot }(p.fold, p.dot)
	look := &regexNode{offset: start}
	switch {
	case !p.peek("?") || p.take("?:"):
	case p.take("?="):
		look.op = reLookahead
	case p.take("?!"):
		look.op, look.negate = reLookahead, true
	case p.take("?<="):
		look.op = reLookbehind
	case p.take("?<!"):
		look.op, look.negate = reLookbehind, true
	case p.take("?<"):
		p.groupName(start)
	case !p.modifiers():
		p.fail(start, Invalid, "unknown group syntax")
		return nil
	}
	if p.depth++; p.depth > maxGroupDepth {
		p.err = &LimitError{What: "nested groups in a pattern", Limit: maxGroupDepth}
		p.pos = len(p.src)
		return nil
	}
	body := p.alternation()
	p.depth--
	if !p.take(")") {
		p.fail(start, Invalid, "missing )")
		return nil
	}
	if look.op == reLookahead || look.op == reLookbehind {
		look.subs = []*regexNode{body}
		return look
	}
	return body
}

// modifiers reads ?i: and the like, which hold inside of the group. The modifier m is not read.
func (p *regexParser) modifiers() bool {
	end := strings.IndexByte(p.src[p.pos:], ':')
	if end < 0 {
		return false
	}
	on, off, minus := strings.Cut(p.src[p.pos+1:p.pos+end], "-")
	for i, c := range on + off {
		switch {
		case strings.ContainsRune((on + off)[i+1:], c):
			return false
		case c == 'i':
			p.fold = i < len(on)
		case c == 's' && i < len(on):
			p.dot = runeSet{}.complement()
		case c == 's':
			p.dot = lineEnds.complement()
		default:
			return false
		}
	}
	p.pos += end + 1
	return on != "" || minus && off != ""
}

func (p *regexParser) groupName(start int) {
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
