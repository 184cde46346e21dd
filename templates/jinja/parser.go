package jinja

import (
	"slices"
)

// maxNesting is how deep tags and expressions may be nested; Python's own stack ends before.
const maxNesting = 200

// maxChain is how many operators, subscripts or filters may follow each other.
const maxChain = 400

// parser builds the tree from tokens. It panics with a *syntaxError.
type parser struct {
	tokens []token
	i      int
	depth  int
}

func (p *parser) cur() token { return p.tokens[p.i] }

// peek is the token after the current one.
func (p *parser) peek() token { return p.tokens[min(p.i+1, len(p.tokens)-1)] }

// next returns the current token and moves on; the end repeats.
func (p *parser) next() token {
	t := p.tokens[p.i]
	if p.i < len(p.tokens)-1 {
		p.i++
	}
	return t
}

// enter counts a level of nesting; the caller defers leave.
func (p *parser) enter() {
	if p.depth++; p.depth > maxNesting {
		failAt(p.cur().pos, "nested deeper than %d", maxNesting)
	}
}

func (p *parser) leave() { p.depth-- }

// chain bounds the n links of a chain of operators, which nest in the tree from the left.
func (p *parser) chain(n *int) {
	if *n++; *n > maxChain {
		failAt(p.cur().pos, "more than %d operators in a row", maxChain)
	}
}

func (p *parser) skip(t tokenType) bool {
	if p.cur().typ == t {
		p.next()
		return true
	}
	return false
}

func (p *parser) skipName(name string) bool {
	if p.cur().is(name) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(t tokenType) token {
	if p.cur().typ != t {
		p.unexpected(string(t))
	}
	return p.next()
}

func (p *parser) expectName(name string) token {
	if !p.cur().is(name) {
		p.unexpected(name)
	}
	return p.next()
}

func (p *parser) unexpected(want string) {
	t := p.cur()
	if t.typ == tokEOF {
		failAt(t.pos, "unexpected end of template, expected %s.", reprText(want))
	}
	failAt(t.pos, "expected token %s, got %s", reprText(want), reprText(t.describe()))
}

// parseBody parses up to one of the tags that end it, or to the end of the template where there is
// none.
func (p *parser) parseBody(ends []string) []stmt {
	p.enter()
	defer p.leave()
	var body, data []stmt
	flush := func() {
		if len(data) > 0 {
			body = append(body, &outputStmt{at(data[0].position()), data})
			data = nil
		}
	}
	for p.cur().typ != tokEOF {
		t := p.next()
		switch t.typ {
		case tokData:
			data = append(data, &dataStmt{at(t.pos), t.text})
		case tokVarBegin:
			data = append(data, &printStmt{at: at(t.pos), value: p.parseTuple(tupleOpts{})})
			p.expect(tokVarEnd)
		default:
			flush()
			if c := p.cur(); c.typ == tokName && slices.Contains(ends, c.text) {
				return body
			}
			body = append(body, p.parseStatement())
			p.expect(tokBlkEnd)
		}
	}
	flush()
	return body
}

// parseBlock parses the rest of a tag and what follows, up to one of the tags that end it, which
// is the current token.
func (p *parser) parseBlock(ends ...string) []stmt {
	p.skip(":")
	p.expect(tokBlkEnd)
	body := p.parseBody(ends)
	if p.cur().typ == tokEOF {
		failAt(p.cur().pos, "Unexpected end of template: %s is missing.", reprText(ends[len(ends)-1]))
	}
	return body
}

// parseClosed is parseBlock for a statement with one end tag, which it consumes.
func (p *parser) parseClosed(end string) []stmt {
	body := p.parseBlock(end)
	p.next()
	return body
}
