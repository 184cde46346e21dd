package lex

import (
	"slices"
	"sync"
	"sync/atomic"

	"tenon/grammar/lex/ecma"
)

// Expr is an expression of an [Arena], which denotes a language. Expressions with the same normal
// form are the same value. The zero Expr is the empty language in every arena.
type Expr int32

const (
	empty   Expr = 0 // ∅
	epsilon Expr = 1 // {ε}
)

type kind uint8

const (
	kindWords     kind = iota // a: wordSet
	kindConcat                // a, b: the parts; a is not itself a concatenation
	kindUnion                 // args
	kindIntersect             // args
	kindNot                   // a; complement relative to all byte strings
	kindRepeat                // a, min, max (unbounded for none)
	kindNumber                // a: index in numbers.states
	kindShared                // a: a state in the arena of a format, b: the format's number
)

// verdict is the answer to a question that may take a search.
type verdict uint8

const (
	unknown verdict = iota
	yes
	no
	undecided // a limit on work was met
)

type node struct {
	kind     kind
	nullable bool // ε is a member
	text     bool // every member is valid UTF-8
	// no intersection, complement or number inside: it is not empty, unless it is ∅, and span
	// is exact
	plain    bool
	live     verdict // has a member
	depth    int32   // nesting of intersections and complements
	open     openness
	a, b     int32
	min, max int32
	args     []Expr // sorted
	span     span
	bounds   ByteSet    // first bytes of ranges on which the derivatives agree
	state    State      // 0: none yet
	distance [3]int32   // memo by metric; 0: not known, else distance+1
	lengths  *lengthSet // memo of lengthsOf
}

// Arena builds expressions and walks their automata. See the package comment for its concurrency.
type Arena struct {
	mu     sync.Mutex // protects all below, except pages
	limits Limits
	err    error // first limit exceeded by a method without an error result
	full   atomic.Bool
	work   int // derivatives left for the current question
	// an undecided answer is not remembered: the question has only a part of Limits.Work
	retriable       bool
	weightLimit     int          // of expressions for the current question; 0: there is none
	undecidedCount  int          // questions of emptiness given up so far
	missedDistances [metrics]int // searches for a distance given up so far
	derivatives     int          // taken so far, memoised ones not counted
	questionWork    int          // derivatives taken for questions so far

	words     *words
	nodes     []node
	index     interner
	leaves    []Expr     // by word set
	derived   deriveMemo // keys: expression<<8 | first byte of its range
	args      []Expr     // storage that the nodes' args are cut from
	stack     []Expr     // derivatives on their way into unions and intersections
	liveByte  byte       // by which the last search reached a live expression
	scratch   []Expr
	sorted    []Expr       // of findSet
	sets      []wordSet    // of mergeWords
	headSets  []wordSet    // of runs
	headRows  []*Row       // of runs
	fresh     []freshClass // of runs
	headSeen  []uint32     // by expression: the round of heads that saw it last
	headRound uint32
	counts    []countedTail

	numbers numberTable
	formats map[string]Expr

	frozen     bool                   // the arena of a format: its rows are all there
	shared     []sharedFormat         // by number of the format; nil until one is used
	abstracted map[abstractExpr]Expr  // memo of abstract
	reaches    map[abstractExpr]reach // memo of reachOf
	strings    stringTable

	lengthBytes int // taken by the nodes' lengths
	lastSize    atomic.Int64

	stateCount State
	rowCount   int
	rows       slab[Row]
	stringRows slab[StringRow]
	pages      [maxPages]pagePointer

	anyRune, anyText, anyBytes Expr
	anyNumber, anyInteger      Expr    // the syntax of all numbers, and of all integers
	shaped                     wordSet // code points of texts that have a shape: see OpenRunes
}

// NewArena returns an empty arena.
func NewArena(limits Limits) *Arena {
	p := prototype()
	a := &Arena{
		limits: limits.withDefaults(), words: p.words.clone(), formats: map[string]Expr{},
		nodes: append(make([]node, 0, 2*len(p.nodes)), p.nodes...), index: p.index.clone(), leaves: slices.Clone(p.leaves),
		anyRune: p.anyRune, anyText: p.anyText, anyBytes: p.anyBytes, anyNumber: p.anyNumber, anyInteger: p.anyInteger, shaped: p.shaped,
	}
	a.words.limit = a.limits.Words
	a.stateCount = pageSize
	a.pages[0].Store(p.pages[0].Load())
	a.strings.begin(&p.strings)
	return a
}

// prototype is what every arena begins with. It holds the automata of any number and of any
// string, which nearly every mask needs. All arenas share their page.
var prototype = sync.OnceValue(func() *Arena {
	a := &Arena{limits: Limits{}.withDefaults(), words: newWords()}
	a.words.limit = a.limits.Words
	a.leaf(noWords)
	a.leaf(emptyWord)
	a.anyRune = a.leaf(a.words.ofRunes(ecma.All))
	a.anyBytes = a.not(empty)
	a.shaped = a.words.ofRunes(ecma.WideSpace.Union(ecma.SetOf(`"\`)).Union(ecma.NewSet(ecma.Range{Lo: 0, Hi: 0x1F})).Complement())
	a.anyText = a.repeat(a.anyRune, 0, unbounded)
	a.anyNumber, a.anyInteger = a.spellings(false), a.spellings(true)
	a.newState(empty)
	a.strings.ids = map[stringKey]StringState{}
	a.strings.add(stringKey{})
	a.strings.add(stringKey{mode: inEscape}) // StringClosed: no inner state, and not in text
	a.stateOf(a.anyNumber)
	a.stateOf(a.anyInteger)
	for escapes := range EscapesCommon + 1 {
		a.StartString(a.anyText, escapes)
	}
	for s := Dead; s < a.stateCount; s++ {
		a.Row(s)
	}
	for s := StringDead; s < a.strings.count; s++ {
		a.StringRow(s)
	}
	return a
})

// Err returns the first limit that a method without an error result met, or nil. The result of
// that method then accepts less than it should: an expression is empty (so that its complement
// accepts more), a state has no successor.
func (a *Arena) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// Full reports whether a limit on what the arena holds was met: states have lost successors, and
// more will. A new arena with the same expressions would get further. It takes no lock.
func (a *Arena) Full() bool { return a.full.Load() }

func (a *Arena) fail(err error) {
	if a.err == nil {
		a.err = err
	}
}

// fill records that a limit on what the arena holds was met, rather than one on a question.
func (a *Arena) fill(what string, limit int) {
	a.full.Store(true)
	a.fail(&LimitError{What: what, Limit: limit, Spent: true})
}

// attempt runs f under the lock and returns the limit that it met. Err stays as it was.
func (a *Arena) attempt(work int, f func()) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	saved, full := a.err, a.full.Load()
	a.err = nil
	a.work = work
	f()
	a.questionWork += work - max(a.work, 0)
	a.checkWords()
	err := a.err
	a.err = saved
	a.full.Store(full)
	return err
}

// Asked returns how many derivatives were taken to answer questions (IsEmpty, Subset, MinRunesOf,
// and those of Regex and Number). Callers bound with it what one client may ask.
func (a *Arena) Asked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.questionWork
}

// build runs f under the lock.
func (a *Arena) build(f func() Expr) Expr {
	a.mu.Lock()
	defer a.mu.Unlock()
	e := f()
	a.checkWords()
	return e
}

// checkWords reports an overflow of the word sets, which have no errors of their own.
func (a *Arena) checkWords() {
	if a.words.overflow {
		a.words.overflow = false
		a.fill("positions in literals and classes", a.words.limit)
	}
}

func (a *Arena) at(e Expr) *node { return &a.nodes[e] }

// intern returns the expression with the identity (kind, a, b, min, max, args) of n; attributes
// are filled in by describe. It keeps a copy of args.
func (a *Arena) intern(n node) Expr {
	h := identity(&n)
	id := a.index.find(h, func(id int32) bool { return sameNode(&a.nodes[id], &n) })
	if id >= 0 {
		return Expr(id)
	}
	switch weight := len(a.nodes) + len(a.args)/argsPerExpr; {
	case weight >= a.limits.Exprs:
		a.fill("expressions", a.limits.Exprs)
		return empty
	case a.weightLimit > 0 && weight >= a.weightLimit:
		a.work = -1
		a.fail(&LimitError{What: "expressions for one question", Limit: a.limits.Exprs / exprsPerQuestion, Spent: true})
		return empty
	}
	a.describe(&n)
	if len(n.args) > 0 {
		from := len(a.args)
		a.args = append(a.args, n.args...)
		n.args = a.args[from:len(a.args):len(a.args)]
	}
	id = int32(len(a.nodes))
	a.nodes = append(a.nodes, n)
	a.index.add(h, id)
	return Expr(id)
}

// identity hashes what tells a node from others.
func identity(n *node) uint64 {
	h := mix(uint64(n.kind), uint64(uint32(n.a))|uint64(uint32(n.b))<<32)
	h = mix(h, uint64(uint32(n.min))|uint64(uint32(n.max))<<32)
	for _, x := range n.args {
		h = mix(h, uint64(x))
	}
	return h
}

// exprsPerQuestion is the part of Limits.Exprs that one question may make: one in so many.
const exprsPerQuestion = 8

// ask runs search under the bound on the expressions that one question may make. A question within
// another one shares its bound.
func (a *Arena) ask(search func()) {
	if a.weightLimit > 0 {
		search()
		return
	}
	a.weightLimit = len(a.nodes) + len(a.args)/argsPerExpr + a.limits.Exprs/exprsPerQuestion
	search()
	a.weightLimit = 0
}

// argsPerExpr is how many parts of unions and intersections weigh as much as one expression.
const argsPerExpr = 16

func sameNode(x, y *node) bool {
	if x.kind != y.kind || x.a != y.a || x.b != y.b || x.min != y.min || x.max != y.max || len(x.args) != len(y.args) {
		return false
	}
	for i := range x.args {
		if x.args[i] != y.args[i] {
			return false
		}
	}
	return true
}

// describe fills in the attributes that follow from the parts.
func (a *Arena) describe(n *node) {
	switch n.kind {
	case kindWords:
		w := &a.words.nodes[n.a]
		n.nullable, n.text, n.plain, n.span, n.bounds = w.final, w.utf8&1 != 0, true, w.span, w.bounds
	case kindConcat:
		l, r := a.at(Expr(n.a)), a.at(Expr(n.b))
		n.nullable, n.text, n.plain, n.depth = l.nullable && r.nullable, l.text && r.text, l.plain && r.plain, max(l.depth, r.depth)
		n.span, n.bounds = l.span.concat(r.span), l.bounds
		if l.nullable {
			n.bounds = n.bounds.Union(r.bounds)
		}
	case kindRepeat:
		x := a.at(Expr(n.a))
		n.nullable, n.text, n.plain, n.depth = n.min == 0 || x.nullable, x.text, x.plain, x.depth
		n.span, n.bounds = x.span.repeat(n.min, n.max), x.bounds
	case kindNot:
		x := a.at(Expr(n.a))
		n.nullable, n.depth, n.bounds, n.span.maxRunes = !x.nullable, x.depth+1, x.bounds, unbounded
		if x.nullable {
			n.span = span{1, 0, 1, unbounded}
		}
	case kindNumber:
		a.describeNumber(n)
	case kindShared:
		a.describeShared(n)
		return
	default:
		a.describeSet(n)
	}
	a.describeOpen(n)
	n.live = unknown
	if n.nullable || n.plain && n.kind != kindWords || n.kind == kindNumber || n.open.every {
		n.live = yes
	} else if n.kind == kindWords {
		n.live = map[bool]verdict{true: no, false: yes}[wordSet(n.a) == noWords]
	}
}

// describeSet is describe for unions and intersections.
func (a *Arena) describeSet(n *node) {
	first := a.at(n.args[0])
	all := *first
	some := *first
	depth := first.depth
	for _, x := range n.args[1:] {
		p := a.at(x)
		all.nullable, some.nullable = all.nullable && p.nullable, some.nullable || p.nullable
		all.text, some.text = all.text && p.text, some.text || p.text
		all.plain = all.plain && p.plain
		all.span, some.span = all.span.union(p.span), some.span.intersect(p.span)
		all.bounds = all.bounds.Union(p.bounds)
		depth = max(depth, p.depth)
	}
	n.bounds, n.depth = all.bounds, depth
	if n.kind == kindUnion {
		n.nullable, n.text, n.plain, n.span = some.nullable, all.text, all.plain, all.span
	} else {
		n.nullable, n.text, n.plain, n.span, n.depth = all.nullable, some.text, false, some.span, depth+1
	}
}
