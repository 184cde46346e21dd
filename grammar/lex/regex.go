package lex

import "fmt"

// RegexErrorKind tells a pattern that is wrong from one whose language is not expressed here.
type RegexErrorKind int

const (
	// Invalid patterns are no ECMA-262 patterns.
	Invalid RegexErrorKind = iota
	// Unsupported patterns are valid, but not exactly expressible: back-references, some lookaround.
	Unsupported
)

// RegexError says where and why a pattern was refused.
type RegexError struct {
	Pattern string
	Offset  int // byte offset in Pattern; of the whole group for an assertion
	Why     string
	Kind    RegexErrorKind
}

func (e *RegexError) Error() string {
	verdict := "invalid"
	if e.Kind == Unsupported {
		verdict = "unsupported"
	}
	return fmt.Sprintf("%s pattern %q: %s at offset %d", verdict, e.Pattern, e.Why, e.Offset)
}

const (
	maxPatternBytes = 64 << 10
	maxGroupDepth   = 250
	maxUnrolled     = 2000 // copies of loop bodies that hold assertions
)

// Regex returns the texts in which an ECMA-262 pattern (u flag, as JSON Schema asks for) matches somewhere: JSON Schema searches,
// it does not match whole strings. (?i:…), (?s:…) and their like are read as ECMAScript 2025 has them. Of the syntax without the u flag, the harmless is accepted: escapes of punctuation, lone ] and braces.
//
// Lookaround, \b and anchors are exact wherever they are accepted; the error is a *RegexError or a *LimitError.
func (a *Arena) Regex(pattern string) (Expr, error) {
	if len(pattern) > maxPatternBytes {
		return empty, &LimitError{What: "bytes in a pattern", Limit: maxPatternBytes}
	}
	tree, err := parseRegex(pattern)
	if err != nil {
		return empty, err
	}
	e := empty
	limit := a.attempt(a.limits.Work, func() {
		c := newRegexCompiler(a, pattern, tree)
		e = c.search(tree)
		err = c.err
	})
	if limit != nil {
		err = limit
	}
	if err != nil {
		return empty, fmt.Errorf("compile pattern: %w", err)
	}
	return e, nil
}

type regexOp int

const (
	reClass regexOp = iota
	reConcat
	reAlternate
	reRepeat
	reBegin
	reEnd
	reWordBoundary
	reLookahead
	reLookbehind
)

// regexNode is one node of a parsed pattern.
type regexNode struct {
	op     regexOp
	offset int
	set    runeSet // reClass; of \b and \B: what words are made of
	subs   []*regexNode
	min    int
	max    int  // reRepeat; unbounded for none
	negate bool // \B and negative lookaround
	pure   bool // holds no assertion
}

// visit calls f for n and everything below it.
func (n *regexNode) visit(f func(*regexNode)) {
	f(n)
	for _, s := range n.subs {
		s.visit(f)
	}
}
