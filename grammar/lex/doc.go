// Package lex is the lexical heart of constrained decoding: regular languages over bytes, most of
// them UTF-8 text.
//
// An [Arena] owns everything. Expressions ([Expr]) are built bottom-up by its methods, from
// literals, code point sets, ECMA-262 patterns ([Arena.Regex]), JSON Schema formats
// ([Arena.Format]) and sets of numbers ([Arena.Number]), and combined with all Boolean operations.
// Equal expressions are the same value (they are hash-consed after normalisation), so that caches
// may be keyed by Expr.
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
// An expression is turned into a deterministic automaton only as far as it is walked: the
// successor of an expression under a byte is its Brzozowski derivative, and a [State] is an
// expression that has been reached. Intersection and complement therefore cost nothing until they
// are walked, and a{1000000} is one node with a counter. A state's 256 successors are computed
// together on its first use and never change; a successor from which no accepting state can be
// reached is [Dead], so a walk never enters a dead end.
//
// Files, in reading order: arena.go (nodes), arena_intern.go (the table that finds equal ones),
// dawg.go, byteset.go and utf8.go (finite sets of byte strings, which are the leaves), expr_*.go
// (the normalising constructors), derive*.go (derivatives, and for which bytes they agree),
// emptiness.go, shortest.go (shortest words), frontier.go (the heap of both searches), lazydfa.go
// (the automaton), size.go and errors.go (memory, limits), analysis_*.go (what follows from an
// expression without a walk: analysis_span.go bounds the length of a word, analysis_lengths.go
// tells lengths apart up to a limit, analysis_reach.go has those of the words that a text begins,
// analysis_open.go knows which texts begin one, and analysis_counters.go what counters matter to).
//
// On top of these: lex/ecma and regex*.go (patterns: parsed, then compiled from their end to their
// beginning), format*.go (formats, from the grammars of their RFCs), lex/number and number*.go (a
// machine of its own that reads spellings and knows values), jsonstring*.go (the encoded inside of
// a JSON string), arena_shared*.go (the arenas of formats, which all others share), and dfa.go
// (whole automata, for printers).
//
// # Exactness
//
// What is accepted here is exact: a pattern whose language cannot be had, such as one with a
// back-reference, is refused with a *ecma.Error. The exceptions:
//
//   - Format regex is a subset, since groups nest.
//   - Formats time and date-time are subsets: a leap second is accepted in UTC alone.
//   - Format hostname does not decode labels that begin with xn--.
//   - A number has at most 1,000 digits, but for those that it takes to end one, and an exponent
//     only where the set holds all numbers.
//
// # Concurrency and limits
//
// All methods of an Arena may be called from any number of goroutines. Walking states that have
// been walked before takes no lock. What hostile patterns can make large is bounded by [Limits];
// going over is a [*LimitError], from the method when it returns errors and from [Arena.Err]
// otherwise.
//
// The automata of any text and of any number are in the page of states that all arenas begin with.
// Those of formats are shared by all arenas, too. They are made once per process and take some
// 25 MB. No states are added to them: an arena that walks further goes on by itself. Memos of
// questions about their states, such as lengths, do grow, within the same [Limits].
//
// # Words
//
//	here                     the field (regex-automata, llguidance's derivre)
//	Expr, derive             hash-consed expression, Brzozowski derivative
//	State, Row               lazy DFA, its transition row
//	word set (dawg.go)       directed acyclic word graph
//	live, emptiness          emptiness check: can this state still accept
//	Shortest, MinBytes       shortest accepted continuation
//	AbstractCounters         counter abstraction: what matters to no short text is left out
//	reach                    the lengths that words behind a prefix can have
//	Open, Lasts              prefix-openness: every text, or every short one, begins a word
//	byte classes             equivalence classes of bytes, as in regex-automata
package lex
