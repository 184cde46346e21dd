package lex

import (
	"cmp"
	"fmt"
)

// Limits bounds what one Arena may spend. A zero field means its default.
type Limits struct {
	// distinct expressions; default 200,000 (about 200 bytes each)
	Exprs int
	// positions in literals and code point classes, shared ones counted once; default 300,000
	// (about 100 bytes each)
	Words int
	// distinct states, and as many string states; default and maximum 262,144 (some 15 bytes
	// each)
	States int
	// states whose successors are kept; default 40,000 (1 KiB each). Those of others are
	// computed each time
	Rows int
	// derivatives taken to answer one question (emptiness, distance, one state's successors);
	// default 100,000
	Work int
}

func (l Limits) withDefaults() Limits {
	l.Exprs, l.Words = cmp.Or(max(l.Exprs, 0), 200_000), cmp.Or(max(l.Words, 0), 300_000)
	l.Rows, l.Work = cmp.Or(max(l.Rows, 0), 40_000), cmp.Or(max(l.Work, 0), 100_000)
	l.States = min(cmp.Or(max(l.States, 0), maxPages*pageSize), maxPages*pageSize)
	return l
}

// LimitError says which bound of [Limits] was exceeded.
type LimitError struct {
	What  string // "expressions", "states", "work", "repetition", "pattern length" …
	Limit int
	// Spent: the work for one question, or the room of the arena, is used up. Later results of
	// the arena cannot be relied on
	Spent bool
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("lexical limit exceeded: more than %d %s", e.Limit, e.What)
}
