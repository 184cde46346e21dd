package jinja

import "slices"

// parseTarget parses the left side of an assignment.
func (p *parser) parseTarget(o tupleOpts) expr {
	o.simple = true
	t := p.parseTuple(o)
	setUse(t, useStore)
	if !assignable(t) {
		failAt(t.position(), "a name is wanted to assign to")
	}
	return t
}

func (p *parser) parseTargetName(u use) *nameExpr {
	t := p.expect(tokName)
	n := &nameExpr{at: at(t.pos), name: t.text, use: u}
	if !assignable(n) {
		failAt(t.pos, "a name is wanted to assign to")
	}
	return n
}

// setUse marks the names of a target.
func setUse(t expr, u use) {
	switch t := t.(type) {
	case *nameExpr:
		t.use = u
	case *listExpr:
		for _, it := range t.items {
			setUse(it, u)
		}
	}
}

// assignable reports what can stand on the left of an assignment.
func assignable(t expr) bool {
	switch t := t.(type) {
	case *nsRefExpr:
		return true
	case *nameExpr:
		return !slices.Contains([]string{"true", "false", "none", "True", "False", "None"}, t.name)
	case *listExpr:
		return t.kind == isTuple && !slices.ContainsFunc(t.items, func(it expr) bool { return !assignable(it) })
	}
	return false
}

// tupleOpts says how a possible tuple is parsed.
type tupleOpts struct {
	simple    bool   // of targets rather than expressions
	noCond    bool   // inline if is not part of it
	explicit  bool   // in parentheses, so it may be empty
	namespace bool   // targets may be ns.attr, too
	end       string // the name that ends it
}

// parseTuple parses one expression, or a tuple where a comma follows it.
func (p *parser) parseTuple(o tupleOpts) expr {
	pos := p.cur().pos
	var items []expr
	comma := false
	for {
		if len(items) > 0 {
			p.expect(",")
		}
		if p.atTupleEnd(o.end) {
			break
		}
		items = append(items, p.parseTupleItem(o))
		if p.cur().typ != "," {
			break
		}
		comma = true
	}
	if !comma {
		if len(items) > 0 {
			return items[0]
		}
		if !o.explicit {
			failAt(p.cur().pos, "Expected an expression, got %s", reprText(p.cur().describe()))
		}
	}
	return &listExpr{at(pos), isTuple, items}
}

func (p *parser) parseTupleItem(o tupleOpts) expr {
	switch {
	case o.simple:
		return p.parsePrimary(o.namespace)
	case o.noCond:
		return p.parseOr()
	}
	return p.parseExpr()
}

func (p *parser) atTupleEnd(end string) bool {
	switch p.cur().typ {
	case tokVarEnd, tokBlkEnd, ")":
		return true
	}
	return end != "" && p.cur().is(end)
}
