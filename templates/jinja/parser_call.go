package jinja

import "slices"

func (p *parser) parseCallOf(e expr) expr {
	pos := p.cur().pos
	return &callExpr{at(pos), e, p.parseArgs()}
}

func (p *parser) parseArgs() arguments {
	var a arguments
	open := p.expect("(")
	ensure := func(ok bool) {
		if !ok {
			failAt(open.pos, "invalid syntax for function call expression")
		}
	}
	for comma := false; p.cur().typ != ")"; comma = true {
		if comma {
			p.expect(",")
			if p.cur().typ == ")" {
				break
			}
		}
		switch t := p.cur(); {
		case t.typ == tokName && p.peek().typ == "=":
			p.next()
			p.next()
			p.addKeyword(&a, t)
		default:
			ensure(len(a.names) == 0)
			a.pos = append(a.pos, p.parseExpr())
		}
	}
	p.expect(")")
	return a
}

func (p *parser) addKeyword(a *arguments, t token) {
	if slices.ContainsFunc(a.names, func(n *Str) bool { return n.text == t.text }) {
		failAt(t.pos, "keyword argument repeated: %s", t.text)
	}
	a.names = append(a.names, trusted(t.text))
	a.named = append(a.named, p.parseExpr())
}

// parseFilters parses a chain of filters on e; where inline, the first has no bar before it.
func (p *parser) parseFilters(e expr, inline bool) expr {
	for n := 0; p.cur().typ == "|" || inline; p.chain(&n) {
		if !inline {
			p.next()
		}
		inline = false
		pos := p.cur().pos
		f := &filterExpr{at: at(pos), node: e, name: p.parseDotted()}
		if p.cur().typ == "(" {
			f.args = p.parseArgs()
		}
		e = f
	}
	return e
}

func (p *parser) parseDotted() string {
	name := p.expect(tokName).text
	for p.skip(".") {
		name += "." + p.expect(tokName).text
	}
	return name
}

func (p *parser) parseTest(e expr) expr {
	pos := at(p.next().pos)
	negated := p.skipName("not")
	n := &testExpr{at: pos, node: e, name: p.parseDotted()}
	switch t := p.cur(); {
	case t.typ == "(":
		n.args = p.parseArgs()
	case slices.Contains([]tokenType{tokName, tokString, tokInt, tokFloat, "[", "{"}, t.typ) &&
		!t.is("else") && !t.is("or") && !t.is("and"):
		if t.is("is") {
			failAt(t.pos, "You cannot chain multiple tests with is")
		}
		n.args.pos = []expr{p.parsePostfix(p.parsePrimary(false))}
	}
	if negated {
		return &notExpr{pos, n}
	}
	return n
}
