package gbnf

import (
	"fmt"
	"strings"

	"tenon/grammar/lex/ecma"
)

// Limits of what Read accepts. They are far above any grammar that people or programs write and
// keep hostile ones from exhausting memory or stack.
const (
	maxText   = 16 << 20 // bytes of a grammar
	maxDepth  = 200      // nested groups
	maxRules  = 200_000
	maxRepeat = 100_000 // of {m,n}
)

// SyntaxError is what Read returns for a text that is no grammar.
type SyntaxError struct {
	Line, Column int // from 1; the column counts bytes
	Message      string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// UnsupportedError is where a grammar that is in order asks for something that is not read here,
// or for too much.
type UnsupportedError struct {
	Line, Column int // from 1; 0 where the whole grammar is meant
	Message      string
}

func (e *UnsupportedError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Read reads extended GBNF. Every rule that is named must be defined, and the rule root is the
// start.
func Read(src string) (*Grammar, error) {
	if len(src) > maxText {
		return nil, fmt.Errorf("grammar of %d bytes exceeds the limit of %d", len(src), maxText)
	}
	r := &reader{src: src, index: map[string]int{}}
	if err := r.rules(); err != nil {
		return nil, err
	}
	return r.finish()
}

// reader is a recursive descent parser. Its methods read from pos and leave it behind what they
// read.
type reader struct {
	src     string
	pos     int
	depth   int
	g       Grammar
	index   map[string]int // rule by name
	defined []bool
	usedAt  []int // where a rule was first named, for the error about it
}

func (r *reader) errorf(at int, format string, args ...any) error {
	line, column := r.place(at)
	return &SyntaxError{Line: line, Column: column, Message: fmt.Sprintf(format, args...)}
}

func (r *reader) place(at int) (line, column int) {
	before := r.src[:min(at, len(r.src))]
	return 1 + strings.Count(before, "\n"), at - strings.LastIndexByte(before, '\n')
}

func (r *reader) rules() error {
	r.space(true)
	for r.pos < len(r.src) {
		if err := r.rule(); err != nil {
			return err
		}
		r.space(true)
	}
	return nil
}

func (r *reader) rule() error {
	at := r.pos
	name := r.name()
	if name == "" {
		return r.errorf(at, "expected the name of a rule")
	}
	r.space(false)
	if !r.take("::=") {
		return r.errorf(r.pos, "expected ::= after the name %q", name)
	}
	i := r.ruleIndex(name, at)
	if r.defined[i] {
		return r.errorf(at, "rule %q is defined twice", name)
	}
	if len(r.g.Rules) > maxRules {
		return r.errorf(at, "more than %d rules", maxRules)
	}
	r.defined[i] = true
	r.space(true)
	n, err := r.alternatives(false)
	if err != nil {
		return err
	}
	r.g.Rules[i].Node = n
	if r.pos < len(r.src) && !r.newline() {
		return r.errorf(r.pos, "expected the end of the rule, found %q", r.src[r.pos])
	}
	return nil
}

func (r *reader) ruleIndex(name string, at int) int {
	if i, ok := r.index[name]; ok {
		return i
	}
	i := len(r.g.Rules)
	r.index[name] = i
	r.g.Rules = append(r.g.Rules, Rule{Name: name})
	r.defined = append(r.defined, false)
	r.usedAt = append(r.usedAt, at)
	return i
}

func (r *reader) finish() (*Grammar, error) {
	for i, ok := range r.defined {
		if !ok {
			return nil, r.errorf(r.usedAt[i], "rule %q is not defined", r.g.Rules[i].Name)
		}
	}
	root, ok := r.index["root"]
	if !ok {
		return nil, r.errorf(0, "there is no rule named root")
	}
	r.g.Root = root
	return &r.g, nil
}

// alternatives reads a | b | c. Inside a group a rule may go on in the next line.
func (r *reader) alternatives(nested bool) (*Node, error) {
	var kids []*Node
	for {
		n, err := r.sequence(nested)
		if err != nil {
			return nil, err
		}
		kids = append(kids, n)
		if !r.take("|") {
			break
		}
		r.space(true)
	}
	return joined(Alt, kids), nil
}

func (r *reader) sequence(nested bool) (*Node, error) {
	var kids []*Node
	for r.pos < len(r.src) {
		n, err := r.element(nested)
		if err != nil {
			return nil, err
		}
		if n == nil {
			break
		}
		if n, err = r.repetitions(n); err != nil {
			return nil, err
		}
		kids = append(kids, n)
		r.space(nested)
	}
	return joined(Seq, kids), nil
}

// element reads one element, or returns nil where none begins.
func (r *reader) element(nested bool) (*Node, error) {
	at := r.pos
	switch c := r.src[at]; {
	case c == '"':
		s, err := r.quoted()
		return &Node{Op: Literal, Text: s}, err
	case c == '[':
		return r.class()
	case c == '.':
		r.pos++
		return &Node{Op: Class, Ranges: ecma.Set{{Lo: 0, Hi: maxRune}}}, nil
	case c == '(':
		return r.group()
	case c == '<', c == '!':
		return r.symbol()
	case c == '%':
		return r.terminal()
	case isNameByte(c):
		return r.reference(nested)
	}
	return nil, nil
}

func (r *reader) group() (*Node, error) {
	at := r.pos
	if r.depth++; r.depth > maxDepth {
		return nil, r.errorf(at, "groups are nested more than %d deep", maxDepth)
	}
	r.pos++
	r.space(true)
	n, err := r.alternatives(true)
	if err != nil {
		return nil, err
	}
	if !r.take(")") {
		return nil, r.errorf(r.pos, "expected ) for the group opened at byte %d", at)
	}
	r.depth--
	return n, nil
}

// reference reads the name of a rule, or name:( … ), a capture. At the top of a rule a name that
// begins a line of its own cannot occur: the newline has ended the rule before.
func (r *reader) reference(nested bool) (*Node, error) {
	at := r.pos
	name := r.name()
	if strings.HasPrefix(r.src[r.pos:], ":(") {
		r.pos++
		n, err := r.group()
		return &Node{Op: Capture, Text: name, Kids: []*Node{n}}, err
	}
	if nested && r.isDefinition() {
		return nil, r.errorf(r.pos, "a group is still open where the rule %q begins", name)
	}
	return &Node{Op: Ref, Rule: r.ruleIndex(name, at)}, nil
}

func (r *reader) isDefinition() bool {
	return strings.HasPrefix(strings.TrimLeft(r.src[r.pos:], " \t"), "::=")
}

// repetitions reads any number of * + ? {m} {m,} {m,n}.
func (r *reader) repetitions(n *Node) (*Node, error) {
	for r.pos < len(r.src) {
		lo, hi := 0, Unbounded
		switch r.src[r.pos] {
		case '*':
		case '+':
			lo = 1
		case '?':
			hi = 1
		case '{':
			var err error
			if lo, hi, err = r.bounds(); err != nil {
				return nil, err
			}
		default:
			return n, nil
		}
		r.pos++
		n = &Node{Op: Repeat, Kids: []*Node{n}, Min: lo, Max: hi}
	}
	return n, nil
}

// bounds reads {m}, {m,}, {,n} or {m,n} and stops at the closing brace.
func (r *reader) bounds() (lo, hi int, err error) {
	at := r.pos
	r.pos++
	r.space(false)
	lo, hasLo := r.number()
	hi = lo
	r.space(false)
	hasHi := hasLo
	if r.take(",") {
		r.space(false)
		if hi, hasHi = r.number(); !hasHi {
			hi = Unbounded
		}
		r.space(false)
	}
	if r.pos >= len(r.src) || r.src[r.pos] != '}' || !hasLo && !hasHi {
		return 0, 0, r.errorf(at, "expected a repetition such as {2}, {2,} or {2,5}")
	}
	if lo > maxRepeat || hi > maxRepeat {
		return 0, 0, r.errorf(at, "repetition exceeds the limit of %d", maxRepeat)
	}
	if hi != Unbounded && hi < lo {
		return 0, 0, r.errorf(at, "repetition {%d,%d} has its bounds the wrong way round", lo, hi)
	}
	return lo, hi, nil
}

func (r *reader) number() (int, bool) {
	at, n := r.pos, 0
	for r.pos < len(r.src) && r.src[r.pos] >= '0' && r.src[r.pos] <= '9' {
		n = min(n*10+int(r.src[r.pos]-'0'), maxRepeat+1)
		r.pos++
	}
	return n, r.pos > at
}
