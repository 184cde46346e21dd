// Package lex walks the automata of regular languages over bytes, most of them UTF-8 text: the
// lexical part of constrained decoding.
//
// An [Arena] owns everything. Its methods build expressions ([Expr]) from literals, code point
// sets, ECMA-262 patterns ([Arena.Regex]), JSON Schema formats ([Arena.Format]) and sets of
// numbers ([Arena.Number]), and combine them with all Boolean operations. Expressions are
// normalised and hash-consed: equal ones are the same value, so that caches may be keyed by Expr.
//
//	a := lex.NewArena(lex.Limits{})
//	word, err := a.Regex(`^[a-z]+$`)
//	short := a.Intersect(word, a.Repeat(a.AnyRune(), 0, 8), a.Complement(a.Literal("stop")))
//	s := a.Start(short)
//	for _, b := range []byte("tenon") {
//		s = a.Step(s, b)
//	}
//	a.Accepting(s) // true
//
// # How it works
//
// The automaton is lazy: an expression becomes a deterministic automaton only as far as it is
// walked. The successor of an expression under a byte is its Brzozowski derivative, and a [State]
// is an expression that has been reached. Intersection and complement therefore cost nothing until
// they are walked, and a{1000000} is one node with a counter. A state's 256 successors are
// computed together on its first use, and then never change. A successor from which no accepting
// state can be reached is [Dead], so that a walk never enters a dead end.
//
// Files, in reading order: arena.go (nodes), arena_intern.go (the table that finds equal ones),
// dawg.go, byteset.go and utf8.go (finite sets of byte strings, which are the leaves), expr_*.go
// (the normalising constructors), derive*.go (derivatives, and for which bytes they agree),
// emptiness.go, shortest.go (shortest words), frontier.go (the heap of both searches), lazydfa.go
// (the automaton), size.go and errors.go (memory, limits). analysis_*.go derive facts from an
// expression without a walk: analysis_span.go bounds the sizes of words, analysis_lengths.go has
// the set of their lengths, analysis_reach.go the lengths of the words with some prefix,
// analysis_open.go the texts that are prefixes, and analysis_counters.go drops counters that are
// far from their end.
//
// On top of these: lex/ecma and regex*.go (patterns: parsed, then compiled from their end to their
// beginning), format*.go (formats, from the grammars of their RFCs), lex/number and number.go
// (numbers: a machine that reads spellings and compares values), number_without.go (a set without
// some of its numbers), jsonstring*.go (the inside of a JSON string, with its escapes),
// arena_shared*.go (the arenas of formats, made once for all others), and dfa.go (whole automata,
// for printers).
//
// # Exactness
//
// Languages are exact: a pattern that no automaton decides, such as one with a back-reference, is
// refused with a *ecma.Error. The exceptions:
//
//   - Format regex is a subset, since groups nest.
//   - Formats time and date-time are subsets: a leap second is accepted in UTC alone.
//   - Format hostname does not decode labels that begin with xn--.
//   - A number has at most 1,000 digits, and more only to end it. It has an exponent only if the
//     set holds all numbers.
//
// # Concurrency and limits
//
// All methods of an Arena may be called from any number of goroutines. Walking states that have
// been walked before takes no lock. [Limits] bound all that a hostile pattern can make large.
// Beyond them, methods return a [*LimitError]; of those without an error result, [Arena.Err]
// returns it.
//
// All arenas share the page with the automata of any text and any number. They also share the
// automata of formats, which are made once per process and take some 25 MB. No states are added to
// those: an arena that walks further goes on by itself. Memos of questions about their states,
// such as lengths, do grow, within the same [Limits].
//
// # Words
//
//	here                     the field (regex-automata, llguidance's derivre)
//	Expr, derive             hash-consed expression, Brzozowski derivative
//	State, Row               lazy DFA, its transition row
//	word set (dawg.go)       directed acyclic word graph
//	live, emptiness          emptiness check: whether a state still accepts anything
//	MinBytes, ShortestString length of a shortest accepted continuation, one of a string
//	AbstractCounters         counter abstraction: drops what makes no difference to short texts
//	reach, Reach             the lengths of the words with a prefix
//	Open, OpenRunes          prefix-openness: every text, or every short one, is a prefix
//	byte classes             equivalence classes of bytes, as in regex-automata
package lex
