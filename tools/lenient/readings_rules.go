package lenient

// Each reading says by which rules it came about: the same names as a decoded text's repairs.

// by goes on with some rules more.
func (r *reader) by(next func(), rules ...string) {
	n := len(r.rules)
	r.rules = append(r.rules, rules...)
	next()
	r.rules = r.rules[:n]
}

// keyRules are those by which the key at an offset is read.
func (r *reader) keyRules(i int, f frame) []string {
	switch quote := quoteOf(r.text[i:]); {
	case quote == "" && f.end != ')':
		return []string{BareKey}
	case quote != "" && quote != `"`:
		return []string{QuoteStyle}
	}
	return nil
}

// pairs counts what comes in pairs in a string.
type pairs struct {
	quotes, round, square, curly int
	quote                        string // around the string
	raw                          bool   // it holds control characters as they are
}

// rules are those by which the string is read.
func (p *pairs) rules() (all []string) {
	if p.quote != `"` {
		all = append(all, QuoteStyle)
	}
	if p.quotes > 0 {
		all = append(all, UnescapedQuote)
	}
	if p.raw {
		all = append(all, RawControl)
	}
	return all
}

func (p *pairs) take(c byte) {
	switch c {
	case '(':
		p.round++
	case ')':
		p.round--
	case '[':
		p.square++
	case ']':
		p.square--
	case '{':
		p.curly++
	case '}':
		p.curly--
	}
}

// unpaired tells whether a string with quotes in it has a half of a pair.
func (p *pairs) unpaired() bool {
	return p.quotes%2 != 0 || p.quotes > 0 && (p.round != 0 || p.square != 0 || p.curly != 0)
}

// open tells whether it leaves brackets open.
func (p *pairs) open() bool { return p.quotes > 0 && (p.round > 0 || p.square > 0 || p.curly > 0) }
