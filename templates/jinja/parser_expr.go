package jinja

import (
	"slices"
	"strconv"
	"strings"
)

// parseExpr parses any expression but a bare tuple.
func (p *parser) parseExpr() expr {
	p.enter()
	defer p.leave()
	pos := p.cur().pos
	e := p.parseOr()
	for n := 0; p.skipName("if"); p.chain(&n) {
		c := &condExpr{at: at(pos), yes: e, test: p.parseOr()}
		if p.skipName("else") {
			c.no = p.parseExpr()
		}
		e = c
	}
	return e
}

func (p *parser) parseOr() expr {
	is := func(t token) bool { return t.is("or") }
	return p.grouped(p.parseAnd, is, func(t token, a, b expr) expr { return &logicExpr{at(t.pos), a, b, false} })
}

func (p *parser) parseAnd() expr {
	is := func(t token) bool { return t.is("and") }
	return p.grouped(p.parseNot, is, func(t token, a, b expr) expr { return &logicExpr{at(t.pos), a, b, true} })
}

// grouped parses a chain of operators, which group from the left.
func (p *parser) grouped(part func() expr, is func(token) bool, join func(t token, a, b expr) expr) expr {
	left := part()
	for n := 0; is(p.cur()); p.chain(&n) {
		t := p.next()
		left = join(t, left, part())
	}
	return left
}

func binary(t token, a, b expr) expr { return &binExpr{at(t.pos), t.typ, a, b} }

func (p *parser) parseNot() expr {
	if p.cur().is("not") {
		p.enter()
		defer p.leave()
		pos := p.next().pos
		return &notExpr{at(pos), p.parseNot()}
	}
	return p.parseCompare()
}

func (p *parser) parseCompare() expr {
	pos := p.cur().pos
	first := p.parseSum()
	var ops []operand
	for {
		t := p.cur()
		op, ok := relationOf(string(t.typ))
		switch {
		case ok:
			p.next()
			ops = append(ops, operand{op, p.parseSum()})
			continue
		case t.is("in"):
			p.next()
			ops = append(ops, operand{relIn, p.parseSum()})
			continue
		case t.is("not") && p.peek().is("in"):
			p.next()
			p.next()
			ops = append(ops, operand{relNotIn, p.parseSum()})
			continue
		}
		if ops == nil {
			return first
		}
		return &compareExpr{at(pos), first, ops}
	}
}

func (p *parser) parseSum() expr {
	return p.grouped(p.parseConcat, func(t token) bool { return t.typ == "+" || t.typ == "-" }, binary)
}

func (p *parser) parseConcat() expr {
	pos := p.cur().pos
	items := []expr{p.parseProduct()}
	for p.skip("~") {
		items = append(items, p.parseProduct())
	}
	if len(items) == 1 {
		return items[0]
	}
	return &concatExpr{at: at(pos), items: items}
}

func (p *parser) parseProduct() expr {
	is := func(t token) bool { return slices.Contains([]tokenType{"*", "/", "//", "%"}, t.typ) }
	return p.grouped(func() expr { return p.parseUnary(true) }, is, binary)
}

func (p *parser) parseUnary(filters bool) expr {
	var e expr
	if t := p.cur(); t.typ == "-" || t.typ == "+" {
		p.enter()
		defer p.leave()
		p.next()
		e = &unaryExpr{at(t.pos), t.typ, p.parseUnary(false)}
	} else {
		e = p.parsePrimary(false)
	}
	e = p.parsePostfix(e)
	if filters {
		e = p.parseFilterChain(e)
	}
	return e
}

func (p *parser) parsePrimary(namespace bool) expr {
	t := p.cur()
	pos := at(t.pos)
	switch t.typ {
	case tokName:
		p.next()
		return p.parseName(t, namespace)
	case tokString:
		var b strings.Builder
		for p.cur().typ == tokString {
			b.WriteString(p.next().text)
		}
		return &constExpr{pos, trusted(b.String())}
	case tokInt, tokFloat:
		p.next()
		return &constExpr{pos, p.number(t)}
	case "(":
		p.next()
		e := p.parseTuple(tupleOpts{explicit: true})
		p.expect(")")
		return e
	case "[":
		return p.parseList()
	case "{":
		return p.parseDict()
	}
	failAt(t.pos, "unexpected %s", reprText(t.describe()))
	return nil
}

func (p *parser) parseName(t token, namespace bool) expr {
	switch t.text {
	case "true", "True":
		return &constExpr{at(t.pos), Bool(true)}
	case "false", "False":
		return &constExpr{at(t.pos), Bool(false)}
	case "none", "None":
		return &constExpr{at(t.pos), None}
	}
	if namespace && p.skip(".") {
		return &nsRefExpr{at: at(t.pos), name: t.text, attr: p.expect(tokName).text}
	}
	return &nameExpr{at: at(t.pos), name: t.text}
}

func (p *parser) number(t token) Value {
	text := strings.ReplaceAll(t.text, "_", "")
	if t.typ == tokFloat {
		// the lexer checked its form; out of range is infinity, as in Python
		f, _ := strconv.ParseFloat(text, 64)
		return Float(f)
	}
	v, ok := parseInt(text)
	if !ok || len(text) > 1 && strings.Trim(text[:2], decimal) == "" && text[0] == '0' && strings.Trim(text, "0") != "" {
		failAt(t.pos, "the number %s is not known", t.text)
	}
	return v
}

func (p *parser) parseList() expr {
	n := &listExpr{at: at(p.next().pos)}
	for p.cur().typ != "]" {
		if len(n.items) > 0 {
			p.expect(",")
		}
		if p.cur().typ == "]" {
			break
		}
		n.items = append(n.items, p.parseExpr())
	}
	p.expect("]")
	return n
}

func (p *parser) parseDict() expr {
	n := &dictExpr{at: at(p.next().pos)}
	for p.cur().typ != "}" {
		if len(n.keys) > 0 {
			p.expect(",")
		}
		if p.cur().typ == "}" {
			break
		}
		n.keys = append(n.keys, p.parseExpr())
		p.expect(":")
		n.values = append(n.values, p.parseExpr())
	}
	p.expect("}")
	return n
}

func (p *parser) parsePostfix(e expr) expr {
	for n := 0; ; p.chain(&n) {
		switch p.cur().typ {
		case ".", "[":
			e = p.parseSubscript(e)
		case "(":
			e = p.parseCallOf(e)
		default:
			return e
		}
	}
}

func (p *parser) parseFilterChain(e expr) expr {
	for n := 0; ; p.chain(&n) {
		switch t := p.cur(); {
		case t.typ == "|":
			e = p.parseFilters(e, false)
		case t.is("is"):
			e = p.parseTest(e)
		case t.typ == "(":
			e = p.parseCallOf(e)
		default:
			return e
		}
	}
}

func (p *parser) parseSubscript(e expr) expr {
	t := p.next()
	if t.typ == "." {
		name := p.next()
		switch name.typ {
		case tokName:
			_, method := dictMethods[name.text]
			return &attrExpr{at(t.pos), e, trusted(name.text), !method}
		case tokInt:
			return &itemExpr{at(t.pos), e, &constExpr{at(name.pos), p.number(name)}}
		}
		failAt(name.pos, "expected name or number")
	}
	key := p.parseSubscribed()
	p.expect("]")
	return &itemExpr{at(t.pos), e, key}
}

// parseSubscribed parses an index or a slice.
func (p *parser) parseSubscribed() expr {
	n := &sliceExpr{at: at(p.cur().pos)}
	if p.cur().typ != ":" {
		n.start = p.parseExpr()
		if p.cur().typ != ":" {
			return n.start
		}
	}
	p.next()
	n.stop = p.parseBound()
	if p.skip(":") {
		n.step = p.parseBound()
	}
	return n
}

func (p *parser) parseBound() expr {
	switch p.cur().typ {
	case ":", "]", ",":
		return nil
	}
	return p.parseExpr()
}
