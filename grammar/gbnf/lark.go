package gbnf

import (
	"fmt"
	"strings"
)

// ReadLark reads the part of Lark that coding agents send with free-form tools: rules, terminals,
// literals, regular expressions, groups, repetitions, aliases (which are dropped), %import of
// common terminals, and %ignore. The rule start is the root. Templates, %declare, %override and
// %extend are refused.
//
// The error is a *SyntaxError for a text that is no Lark grammar, and an *UnsupportedError for one
// that is, but has what is not read here.
//
// Terminals are matched as parts of the text, not by a lexer that takes the longest: the grammar
// accepts what some way of cutting the text accepts.
func ReadLark(src string) (*Grammar, error) {
	if len(src) > maxText {
		return nil, &UnsupportedError{Message: fmt.Sprintf("grammar of %d bytes exceeds the limit of %d", len(src), maxText)}
	}
	l := &larkReader{reader: reader{src: src, index: map[string]int{}}}
	for l.lineSpace(); l.pos < len(l.src); l.lineSpace() {
		if err := l.statement(); err != nil {
			return nil, err
		}
	}
	start, ok := l.index["start"]
	if !ok {
		return nil, l.errorf(0, "there is no rule named start")
	}
	for i, ok := range l.defined {
		if !ok {
			return nil, l.errorf(l.usedAt[i], "%s is not defined", l.g.Rules[i].Name)
		}
	}
	l.g.Root = start
	l.applyIgnored()
	return &l.g, nil
}

// larkReader shares the cursor, the table of rules and the errors of reader.
type larkReader struct {
	reader
	ignored   []*Node
	terminals []*Node // nodes of rules that stand for a terminal
	inRule    bool    // a rule is read, not a terminal
}

// blanks skips blanks, comments of both kinds, and ends of lines behind a backslash, with which a
// line goes on.
func (l *larkReader) blanks() {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case c == ' ' || c == '\t':
			l.pos++
		case c == '#' || strings.HasPrefix(l.src[l.pos:], "//"):
			l.skipLine()
		case c == '\\':
			at := l.pos
			l.pos++
			for l.take(" ") {
			}
			if !l.newline() {
				l.pos = at
				return
			}
		default:
			return
		}
	}
}

// name reads the name of a rule or a terminal, in which, other than in GBNF, no - can be: behind
// it may stand the arrow of an alias.
func (l *larkReader) name() string {
	at := l.pos
	for l.pos < len(l.src) && isNameByte(l.src[l.pos]) && l.src[l.pos] != '-' {
		l.pos++
	}
	return l.src[at:l.pos]
}

func (l *larkReader) skipLine() {
	n := strings.IndexByte(l.src[l.pos:], '\n')
	if n < 0 {
		n = len(l.src) - l.pos
	}
	l.pos += n
}

// lineSpace skips blanks, comments and line ends.
func (l *larkReader) lineSpace() {
	for {
		l.blanks()
		if !l.newline() {
			return
		}
	}
}

func (l *larkReader) statement() error {
	at := l.pos
	switch {
	case l.take("%import"):
		return l.importCommon(at)
	case l.take("%ignore"):
		l.inRule = false
		n, err := l.expansions(0)
		l.ignored = append(l.ignored, n)
		return err
	case l.src[l.pos] == '%':
		return l.directive(at)
	}
	for l.take("?") || l.take("!") {
	}
	name := l.name()
	if name == "" {
		return l.errorf(at, "expected a rule, a terminal or a directive")
	}
	if strings.HasPrefix(l.src[l.pos:], "{") {
		return l.unsupported(at, "templates are not supported")
	}
	if l.take(".") {
		_ = l.take("-") || l.take("+")
		l.number()
	}
	l.blanks()
	if !l.take(":") {
		return l.errorf(l.pos, "expected : after %s", name)
	}
	i := l.ruleIndex(name, at)
	if l.defined[i] {
		return l.errorf(at, "%s is defined twice", name)
	}
	l.defined[i] = true
	l.inRule = !isTerminalName(name)
	n, err := l.expansions(0)
	l.g.Rules[i].Node = n
	return err
}

// directive tells those that Lark knows from others.
func (l *larkReader) directive(at int) error {
	for _, known := range []string{"%declare", "%override", "%extend", "%llguidance"} {
		if l.take(known) {
			return l.unsupported(at, "of the directives only %%import and %%ignore are supported")
		}
	}
	return l.errorf(at, "there is no such directive")
}

// unsupported is errorf for what is no mistake.
func (l *larkReader) unsupported(at int, format string, args ...any) error {
	line, column := l.place(at)
	return &UnsupportedError{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

// isTerminalName: terminals are in upper case.
func isTerminalName(name string) bool {
	name = strings.TrimLeft(name, "_")
	return name != "" && name[0] >= 'A' && name[0] <= 'Z'
}

// expansions reads a | b, which may go on in a line that begins with |.
func (l *larkReader) expansions(depth int) (*Node, error) {
	if depth > maxDepth {
		return nil, l.unsupported(l.pos, "groups are nested more than %d deep", maxDepth)
	}
	var kids []*Node
	for {
		n, err := l.expansion(depth)
		if err != nil {
			return nil, err
		}
		kids = append(kids, n)
		before := l.pos
		l.lineSpace()
		if !l.take("|") {
			if depth == 0 {
				l.pos = before
			}
			break
		}
	}
	return joined(Alt, kids), nil
}

func (l *larkReader) expansion(depth int) (*Node, error) {
	var kids []*Node
	for {
		if depth > 0 {
			l.lineSpace()
		} else {
			l.blanks()
		}
		n, err := l.item(depth)
		if err != nil {
			return nil, err
		}
		if n == nil {
			break
		}
		if n, err = l.quantified(n); err != nil {
			return nil, err
		}
		kids = append(kids, n)
	}
	if l.take("->") {
		l.blanks()
		l.name()
	}
	return joined(Seq, kids), nil
}

// item reads one item, or returns nil where none begins.
func (l *larkReader) item(depth int) (*Node, error) {
	at := l.pos
	if l.pos >= len(l.src) {
		return nil, nil
	}
	switch c := l.src[l.pos]; {
	case c == '"':
		return l.literal()
	case c == '/':
		return l.regex()
	case c == '(' || c == '[':
		return l.bracketed(c, depth)
	case isNameByte(c) && c != '-':
		name := l.name()
		if l.pos+1 < len(l.src) && l.src[l.pos] == '{' && !strings.ContainsRune("0123456789, ", rune(l.src[l.pos+1])) {
			return nil, l.unsupported(at, "templates are not supported")
		}
		n := &Node{Op: Ref, Rule: l.ruleIndex(name, at)}
		if l.inRule && isTerminalName(name) {
			l.terminals = append(l.terminals, n)
		}
		return n, nil
	case c == '<':
		return l.symbol()
	}
	return nil, nil
}

func (l *larkReader) bracketed(open byte, depth int) (*Node, error) {
	l.pos++
	n, err := l.expansions(depth + 1)
	if err != nil {
		return nil, err
	}
	l.lineSpace()
	if open == '[' {
		n = &Node{Op: Repeat, Kids: []*Node{n}, Max: 1}
	}
	if !l.take(map[byte]string{'(': ")", '[': "]"}[open]) {
		return nil, l.errorf(l.pos, "expected the end of a group")
	}
	return n, nil
}

// quantified reads ? * + ~n ~n..m {m,n} behind an item.
func (l *larkReader) quantified(n *Node) (*Node, error) {
	for l.pos < len(l.src) {
		lo, hi := 0, Unbounded
		before := l.pos
		l.blanks()
		if l.pos == len(l.src) {
			return n, nil
		}
		switch l.src[l.pos] {
		case '?':
			hi = 1
		case '*':
		case '+':
			lo = 1
		case '{':
			var err error
			if lo, hi, err = l.bounds(); err != nil {
				return nil, err
			}
		case '~':
			var err error
			if lo, hi, err = l.counts(); err != nil {
				return nil, err
			}
		default:
			l.pos = before
			return n, nil
		}
		l.pos++
		n = &Node{Op: Repeat, Kids: []*Node{n}, Min: lo, Max: hi}
	}
	return n, nil
}

// counts reads ~n or ~n..m and stops at its last byte.
func (l *larkReader) counts() (lo, hi int, err error) {
	l.pos++
	l.blanks()
	lo, ok := l.number()
	if !ok {
		return 0, 0, l.errorf(l.pos, "expected a number after ~")
	}
	end := l.pos
	hi = lo
	if l.blanks(); l.take("..") {
		l.blanks()
		if hi, ok = l.number(); !ok {
			return 0, 0, l.errorf(l.pos, "expected a number after ..")
		}
		end = l.pos
	}
	l.pos = end - 1
	switch {
	case hi < lo:
		return 0, 0, l.errorf(end, "the bounds of a repetition are the wrong way round")
	case hi > maxRepeat:
		return 0, 0, l.unsupported(end, "a repetition exceeds %d", maxRepeat)
	}
	return lo, hi, nil
}
