package jinja

// parseStatement parses a tag from its name on.
func (p *parser) parseStatement() stmt {
	t := p.cur()
	if t.typ != tokName {
		failAt(t.pos, "tag name expected")
	}
	switch t.text {
	case "for":
		return p.parseFor()
	case "if":
		return p.parseIf()
	case "set":
		return p.parseSet()
	case "macro":
		return p.parseMacro()
	case "filter":
		return p.parseFilterBlock()
	case "generation":
		p.next()
		return &generationStmt{at: at(t.pos), body: p.parseClosed("endgeneration")}
	case "break", "continue":
		p.next()
		return &loopControl{at(t.pos), map[string]control{"break": breakLoop, "continue": continueLoop}[t.text]}
	}
	failAt(t.pos, "Encountered unknown tag %s.", reprText(t.text))
	return nil
}

func (p *parser) parseFor() stmt {
	n := &forStmt{at: at(p.next().pos), loop: -1}
	n.target = p.parseTarget(tupleOpts{end: "in"})
	p.expectName("in")
	n.iter = p.parseTuple(tupleOpts{noCond: true})
	if p.skipName("if") {
		n.test = p.parseExpr()
	}
	if p.cur().is("recursive") {
		failAt(p.cur().pos, "recursive loops are not supported: a macro calls itself")
	}
	n.body = p.parseBlock("else", "endfor")
	if p.next().text == "else" {
		n.other = p.parseClosed("endfor")
	}
	return n
}

func (p *parser) parseIf() stmt {
	n := &ifStmt{at: at(p.next().pos)}
	part := n
	for {
		part.test = p.parseTuple(tupleOpts{noCond: true})
		part.body = p.parseBlock("elif", "else", "endif")
		switch t := p.next(); t.text {
		case "elif":
			part = &ifStmt{at: at(t.pos)}
			n.elifs = append(n.elifs, part)
			continue
		case "else":
			n.other = p.parseClosed("endif")
		}
		return n
	}
}

func (p *parser) parseSet() stmt {
	pos := at(p.next().pos)
	target := p.parseTarget(tupleOpts{namespace: true})
	if p.skip("=") {
		return &setStmt{at: pos, target: target, value: p.parseTuple(tupleOpts{})}
	}
	n := &setBlockStmt{at: pos, target: target}
	if f := p.parseFilters(nil, false); f != nil {
		n.filter = f.(*filterExpr)
	}
	n.body = p.parseClosed("endset")
	return n
}

func (p *parser) parseMacro() stmt {
	n := &macroStmt{at: at(p.next().pos)}
	n.name = p.parseTargetName(useStore).name
	p.expect("(")
	for p.cur().typ != ")" {
		if len(n.args) > 0 {
			p.expect(",")
		}
		arg := p.parseTargetName(useParam)
		if p.skip("=") {
			n.defaults = append(n.defaults, p.parseExpr())
		} else if len(n.defaults) > 0 {
			failAt(p.cur().pos, "non-default argument follows default argument")
		}
		n.args = append(n.args, arg)
	}
	p.expect(")")
	n.body = p.parseClosed("endmacro")
	return n
}

func (p *parser) parseFilterBlock() stmt {
	n := &filterStmt{at: at(p.next().pos)}
	n.filter = p.parseFilters(nil, true).(*filterExpr)
	n.body = p.parseClosed("endfilter")
	return n
}
