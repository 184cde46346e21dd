package jinja

import "maps"

// This file decides where names live, by the rules of Jinja2's compiler: a template or macro is
// a function, every variable of a scope within it a slot of that function's frame. A scope
// reads outer variables through their slots, copies those that it assigns to when it is entered,
// and resolves names that nobody assigned in the context, also when it is entered.

// function is what gets a frame of its own when it runs.
type function struct {
	slots  int
	parent *function // whose frame it can read; nil for the template and its blocks
	// its frames may be referred to when it has ended: by functions and generators made in it
	kept bool
}

// slot is a variable of a function.
type slot struct {
	fn    *function
	index int
}

// place is how to reach a slot at run time: so many frames up, then the index.
type place struct{ hops, index int }

// loadKind says what a scope's variable is when the scope is entered.
type loadKind uint8

const (
	loadUndefined loadKind = iota
	loadParam              // bound by whatever opens the scope
	loadResolve            // looked up in the context
	loadAlias              // a copy of an outer variable
)

type load struct {
	to   *slot
	kind loadKind
	name string
	from *slot
}

// symbols is one scope: what its names refer to.
type symbols struct {
	parent *symbols
	fn     *function
	all    map[string]*slot // shared between the copies made for the branches of an if
	refs   map[string]*slot
	loads  []load
	loadAt map[*slot]int // where in loads
	stores map[string]bool
	shared *shared
}

// shared is what all scopes of a template have in common.
type shared struct {
	cost    int // see maxScopeCost
	names   []string
	numbers map[string]int
}

// number returns the number of a name that is looked up in the context; 0 is nobody's.
func (s *shared) number(name string) int {
	if s.numbers == nil {
		s.names, s.numbers = []string{""}, map[string]int{}
	}
	n, ok := s.numbers[name]
	if !ok {
		n = len(s.names)
		s.numbers[name], s.names = n, append(s.names, name)
	}
	return n
}

// maxScopeCost bounds the names that are copied between scopes and branches, which can grow with
// the square of a template's length. Real templates need some thousands.
const maxScopeCost = 2_000_000

// newSymbols opens a scope inside parent, which is nil for a template.
func newSymbols(parent *symbols, fn *function) *symbols {
	s := &symbols{parent: parent, fn: fn, all: map[string]*slot{}, refs: map[string]*slot{}, loadAt: map[*slot]int{}, stores: map[string]bool{}}
	if parent != nil {
		s.shared = parent.shared
	}
	return s
}

// spend counts n copied names.
func (s *symbols) spend(n int) {
	if s.shared.cost += n; s.shared.cost > maxScopeCost {
		panic(&syntaxError{0, "too many names in too many scopes"})
	}
}

func (s *symbols) copy() *symbols {
	c := newSymbols(s.parent, s.fn)
	c.all, c.shared = s.all, s.shared
	c.merge(s)
	return c
}

// merge takes over what a branch found.
func (s *symbols) merge(b *symbols) {
	s.spend(len(b.refs) + len(b.loads) + len(b.stores))
	maps.Copy(s.refs, b.refs)
	maps.Copy(s.stores, b.stores)
	for _, l := range b.loads {
		s.setLoad(l)
	}
}

// setLoad sets how a variable begins, keeping the order in which variables first appeared.
func (s *symbols) setLoad(l load) {
	if i, ok := s.loadAt[l.to]; ok {
		s.loads[i] = l
		return
	}
	s.loadAt[l.to] = len(s.loads)
	s.loads = append(s.loads, l)
}

func (s *symbols) find(name string) *slot {
	for ; s != nil; s = s.parent {
		if r, ok := s.refs[name]; ok {
			return r
		}
	}
	return nil
}

func (s *symbols) define(name string, l load) *slot {
	r := s.all[name]
	if r == nil {
		r = &slot{s.fn, s.fn.slots}
		s.fn.slots++
		s.all[name] = r
	}
	s.refs[name] = r
	l.to, l.name = r, name
	s.setLoad(l)
	return r
}

// store notes an assignment.
func (s *symbols) store(name string) {
	s.stores[name] = true
	if _, ok := s.refs[name]; ok {
		return
	}
	if outer := s.parent.find(name); outer != nil {
		s.define(name, load{kind: loadAlias, from: outer})
		return
	}
	s.define(name, load{kind: loadUndefined})
}

// param notes a variable that the scope's opener binds.
func (s *symbols) param(name string) *slot {
	s.stores[name] = true
	return s.define(name, load{kind: loadParam})
}

// load notes a use.
func (s *symbols) load(name string) {
	if s.find(name) == nil {
		s.define(name, load{kind: loadResolve})
	}
}

// mergeBranches joins the branches of an if: what only some of them assign begins as what it is
// outside.
func (s *symbols) mergeBranches(branches []*symbols) {
	stored := map[string]bool{}
	for _, b := range branches {
		for name := range b.stores {
			if !s.stores[name] {
				stored[name] = true
			}
		}
	}
	for _, b := range branches {
		s.merge(b)
	}
	for name := range stored {
		l := load{to: s.find(name), kind: loadResolve, name: name}
		if outer := s.parent.find(name); outer != nil {
			l.kind, l.from = loadAlias, outer
		}
		s.setLoad(l)
	}
}

// analyze notes the names that a scope's own nodes use; what opens a scope of its own is analyzed
// when that is opened.
func (s *symbols) analyze(nodes ...node) {
	for _, n := range nodes {
		s.visit(n)
	}
}

func (s *symbols) visit(n node) {
	switch n := n.(type) {
	case *nameExpr:
		s.visitName(n)
	case *nsRefExpr:
		s.load(n.name)
	case *ifStmt:
		s.visitIf(n)
	case *macroStmt:
		s.store(n.name)
	case *setStmt:
		s.visit(n.value)
		s.visit(n.target)
	case *setBlockStmt:
		s.visit(n.target)
	case *forStmt:
		s.visit(n.iter)
	case *generationStmt:
	case *filterStmt:
		s.visit(n.filter)
	default:
		s.analyze(children(n)...)
	}
}

func (s *symbols) visitName(n *nameExpr) {
	switch n.use {
	case useParam:
		s.param(n.name)
	case useStore:
		s.store(n.name)
	default:
		s.load(n.name)
	}
}

func (s *symbols) visitIf(n *ifStmt) {
	s.visit(n.test)
	branch := func(nodes []node) *symbols {
		b := s.copy()
		b.analyze(nodes...)
		return b
	}
	s.mergeBranches([]*symbols{branch(nodesOf(n.body)), branch(nodesOf(n.elifs)), branch(nodesOf(n.other))})
}

// bindTarget notes the names of a target as bound by what opens the scope.
func (s *symbols) bindTarget(t expr) {
	switch t := t.(type) {
	case *nameExpr:
		s.param(t.name)
	case *listExpr:
		for _, it := range t.items {
			s.bindTarget(it)
		}
	}
}
