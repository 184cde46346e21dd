package jinja

import (
	"slices"
	"strings"
)

// parseStatement parses a tag from its name on.
func (p *parser) parseStatement() stmt {
	t := p.cur()
	if t.typ != tokName {
		p.fail(t.pos, "tag name expected")
	}
	p.tags = append(p.tags, t.text)
	s := p.parseTag(t)
	p.tags = p.tags[:len(p.tags)-1]
	return s
}

func (p *parser) parseTag(t token) stmt {
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
	case "with":
		return p.parseWith()
	case "block":
		return p.parseNamedBlock()
	case "print":
		return p.parsePrint()
	case "autoescape":
		return p.parseAutoescape()
	case "generation":
		p.next()
		return &callStmt{macroDef: macroDef{at: at(t.pos), body: p.parseClosed("endgeneration")}, generation: true}
	case "break", "continue":
		p.next()
		return &loopControl{at(t.pos), map[string]control{"break": breakLoop, "continue": continueLoop}[t.text]}
	case "extends", "include", "import", "from":
		return p.parseLoad()
	}
	p.tags = p.tags[:len(p.tags)-1]
	p.failEnd(t.text, p.ends)
	return nil
}

func (p *parser) parseFor() stmt {
	n := &forStmt{at: at(p.next().pos), loop: -1}
	n.target = p.parseTarget(targetOpts{end: "in"})
	p.expectName("in")
	n.iter = p.parseTuple(tupleOpts{noCond: true, end: "recursive"})
	if p.skipName("if") {
		n.test = p.parseExpr()
	}
	n.recursive = p.skipName("recursive")
	n.body = p.parseBlock("endfor", "else")
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
	target := p.parseTarget(targetOpts{namespace: true})
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
	n.name = p.parseTarget(targetOpts{nameOnly: true}).(*nameExpr).name
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
		arg := p.parseTarget(targetOpts{nameOnly: true}).(*nameExpr)
		arg.use = useParam
		if p.skip("=") {
			d.defaults = append(d.defaults, p.parseExpr())
		} else if len(d.defaults) > 0 {
			p.fail(p.cur().pos, "non-default argument follows default argument")
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
		p.fail(n.position(), "expected call")
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

func (p *parser) parseWith() stmt {
	n := &withStmt{at: at(p.next().pos)}
	for p.cur().typ != tokBlkEnd {
		if len(n.targets) > 0 {
			p.expect(",")
		}
		t := p.parseTarget(targetOpts{})
		setUse(t, useParam)
		n.targets = append(n.targets, t)
		p.expect("=")
		n.values = append(n.values, p.parseExpr())
	}
	n.body = p.parseClosed("endwith")
	return n
}

func (p *parser) parseNamedBlock() stmt {
	n := &blockStmt{at: at(p.next().pos), self: -1, super: -1}
	n.name = p.expect(tokName).text
	n.scoped = p.skipName("scoped")
	n.required = p.skipName("required")
	if p.cur().typ == "-" {
		p.fail(p.cur().pos, "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.")
	}
	n.body = p.parseClosed("endblock")
	if n.required && slices.ContainsFunc(n.body, func(s stmt) bool { return !isBlank(s) }) {
		p.fail(p.cur().pos, "Required blocks can only contain comments or whitespace")
	}
	p.skipName(n.name)
	return n
}

// isBlank reports text that is only whitespace.
func isBlank(s stmt) bool {
	out, ok := s.(*outputStmt)
	if !ok {
		return false
	}
	return !slices.ContainsFunc(out.items, func(it stmt) bool {
		d, ok := it.(*dataStmt)
		return !ok || strings.TrimLeftFunc(d.text, isSpace) != ""
	})
}

func (p *parser) parsePrint() stmt {
	n := &outputStmt{at: at(p.next().pos)}
	for p.cur().typ != tokBlkEnd {
		if len(n.items) > 0 {
			p.expect(",")
		}
		v := p.parseExpr()
		n.items = append(n.items, &printStmt{at: at(v.position()), value: v})
	}
	return n
}

func (p *parser) parseAutoescape() stmt {
	n := &escapeStmt{at: at(p.next().pos)}
	n.value = p.parseExpr()
	n.body = p.parseClosed("endautoescape")
	return n
}

// parseLoad parses extends, include, import and from.
func (p *parser) parseLoad() stmt {
	t := p.next()
	n := &loadStmt{at: at(t.pos), tag: t.text, template: p.parseExpr()}
	switch t.text {
	case "include":
		if p.cur().is("ignore") && p.peek().is("missing") {
			n.ignoreMissing = true
			p.next()
			p.next()
		}
		p.parseContext()
	case "import":
		p.expectName("as")
		n.names = []string{p.parseTarget(targetOpts{nameOnly: true}).(*nameExpr).name}
		p.parseContext()
	case "from":
		p.parseImported(n)
	}
	return n
}

// parseContext skips "with context" or "without context".
func (p *parser) parseContext() bool {
	if t := p.cur(); (t.is("with") || t.is("without")) && p.peek().is("context") {
		p.next()
		p.next()
		return true
	}
	return false
}

func (p *parser) parseImported(n *loadStmt) {
	p.expectName("import")
	for {
		if len(n.names) > 0 {
			p.expect(",")
		}
		if p.cur().typ != tokName {
			p.expect(tokName)
		}
		if p.parseContext() {
			return
		}
		name := p.parseTarget(targetOpts{nameOnly: true}).(*nameExpr)
		if strings.HasPrefix(name.name, "_") {
			p.fail(name.position(), "names starting with an underline can not be imported")
		}
		if p.skipName("as") {
			name = p.parseTarget(targetOpts{nameOnly: true}).(*nameExpr)
		}
		n.names = append(n.names, name.name)
		if p.parseContext() || p.cur().typ != "," {
			return
		}
	}
}
