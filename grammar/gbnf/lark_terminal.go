package gbnf

import (
	"unicode"

	"tenon/grammar/lex/ecma"
)

// The terminals of Lark: literals and ranges.

// literal reads "text", "text"i or "a".."z".
func (l *larkReader) literal() (*Node, error) {
	at := l.pos
	s, err := l.quoted()
	if err != nil {
		return nil, err
	}
	n := &Node{Op: Literal, Text: s}
	if l.takeRange() {
		hi, err := l.quoted()
		lo, up := []rune(s), []rune(hi)
		if err != nil || len(lo) != 1 || len(up) != 1 || lo[0] > up[0] {
			return nil, l.errorf(at, `expected a range such as "a".."z"`)
		}
		n = &Node{Op: Class, Ranges: ecma.Set{{Lo: lo[0], Hi: up[0]}}}
	} else if l.take("i") {
		n = foldCase(s)
	}
	return l.terminalNode(n), nil
}

// takeRange takes .. and the blanks around it, where a literal follows.
func (l *larkReader) takeRange() bool {
	at := l.pos
	if l.blanks(); l.take("..") {
		if l.blanks(); l.pos < len(l.src) && l.src[l.pos] == '"' {
			return true
		}
	}
	l.pos = at
	return false
}

// terminalNode remembers a terminal of a rule, behind which what is ignored may stand.
func (l *larkReader) terminalNode(n *Node) *Node {
	if l.inRule {
		l.terminals = append(l.terminals, n)
	}
	return n
}

// foldCase is a literal in any case of each letter.
func foldCase(s string) *Node {
	var kids []*Node
	for _, r := range s {
		cases := ecma.Set{{Lo: r, Hi: r}}
		for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
			cases = append(cases, ecma.Range{Lo: c, Hi: c})
		}
		if len(cases) == 1 {
			kids = append(kids, &Node{Op: Literal, Text: string(r)})
			continue
		}
		kids = append(kids, &Node{Op: Class, Ranges: ecma.NewSet(cases...)})
	}
	return joined(Seq, kids)
}
