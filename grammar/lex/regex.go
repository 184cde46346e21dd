package lex

import (
	"errors"
	"fmt"

	"tenon/grammar/lex/ecma"
)

const (
	maxPatternBytes = 64 << 10
	maxUnrolled     = 2000 // copies of loop bodies that hold assertions
)

// Regex returns the texts in which an ECMA-262 pattern (u flag, as JSON Schema asks for) matches
// somewhere: JSON Schema searches, it does not match whole strings. Some syntax that the u flag
// forbids is accepted, too: escapes of punctuation, lone ] and braces.
//
// Lookahead, \b and anchors are exact wherever they are accepted; lookbehind and (?i:…) are not.
// The error is a *ecma.Error or a *LimitError.
func (a *Arena) Regex(pattern string) (Expr, error) {
	if len(pattern) > maxPatternBytes {
		return empty, &LimitError{What: "bytes in a pattern", Limit: maxPatternBytes}
	}
	tree, err := ecma.Parse(pattern)
	if errors.Is(err, ecma.ErrTooDeep) {
		err = &LimitError{What: "nested groups in a pattern", Limit: ecma.MaxDepth}
	}
	if err != nil {
		return empty, err
	}
	e := empty
	limit := a.attempt(a.limits.Work, func() {
		c := &regexCompiler{a: a, pattern: pattern}
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
