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
	case "call":
		return p.parseCall()
	case "filter":
		return p.parseFilterBlock()
	case "generation":
		p.next()
		return &callStmt{macroDef: macroDef{at: at(t.pos), body: p.parseClosed("endgeneration")}, generation: true}
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
	n := &macroStmt{macroDef: macroDef{at: at(p.next().pos)}}
	n.name = p.parseTargetName(useStore).name
	p.parseSignature(&n.macroDef)
	n.body = p.parseClosed("endmacro")
	return n
}

func (p *parser) parseSignature(d *macroDef) {
	p.expect("(")
	for p.cur().typ != ")" {
		if len(d.args) > 0 {
			p.expect(",")
		}
		arg := p.parseTargetName(useParam)
		if p.skip("=") {
			d.defaults = append(d.defaults, p.parseExpr())
		} else if len(d.defaults) > 0 {
			failAt(p.cur().pos, "non-default argument follows default argument")
		}
		d.args = append(d.args, arg)
	}
	p.expect(")")
}

func (p *parser) parseCall() stmt {
	n := &callStmt{macroDef: macroDef{at: at(p.next().pos)}}
	if p.cur().typ == "(" {
		p.parseSignature(&n.macroDef)
	}
	call, ok := p.parseExpr().(*callExpr)
	if !ok {
		failAt(n.position(), "expected call")
	}
	n.call = call
	n.body = p.parseClosed("endcall")
	return n
}

func (p *parser) parseFilterBlock() stmt {
	n := &filterStmt{at: at(p.next().pos)}
	n.filter = p.parseFilters(nil, true).(*filterExpr)
	n.body = p.parseClosed("endfilter")
	return n
}
