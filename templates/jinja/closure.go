package jinja

import "slices"

// closure is what a macro depends on besides its arguments, where that can be told at a glance:
// other macros of the template's top level, and names that nobody gave.
type closure struct {
	macros []int // slots of the top level's frame that hold them
	names  []int // that are looked up in the context
}

// holds reports whether a macro that was defined in home depends on its arguments alone in this
// rendering.
func (c *closure) holds(home *frame) bool {
	for _, i := range c.macros {
		if _, ok := home.slots[i].(*macro); !ok { // not yet defined
			return false
		}
	}
	for _, n := range c.names {
		if v := home.ctx.names[n]; v != nil && v != home.rt.tmpl.pure[n] {
			return false
		}
	}
	return true
}

// findClosures finds the macros of a template's top level that depend on their arguments alone.
// The rules are stricter than they need be: what they refuse is only rendered anew each time.
func (t *Template) findClosures() {
	stores := map[string]int{}
	for _, n := range stmtNodes(t.body) {
		walk(n, func(n node) bool { countStores(n, stores); return true })
	}
	given := map[int]int{} // slots that hold what the context does, with its number
	for _, op := range t.enter {
		if op.kind == loadResolve && stores[t.names[op.name]] == 0 {
			given[op.to] = op.name
		}
	}
	closures := map[int]*closure{}
	macros := map[int]*macroDef{}
	budget := maxClosureWork
	for _, s := range t.body {
		m, ok := s.(*macroStmt)
		if !ok || stores[m.name] != 1 || m.caller >= 0 || m.kwargs >= 0 || m.varargs >= 0 || len(closures) == maxClosures {
			continue
		}
		f := closureFinder{given: given, budget: &budget}
		if f.scope(m.enter, m.body, exprNodes(m.defaults)); !f.open {
			closures[m.where.index], macros[m.where.index] = &f.closure, &m.macroDef
		}
	}
	settle(closures)
	for i, c := range closures {
		macros[i].closure = c
	}
}

// maxClosures and maxClosureWork bound what a hostile template can make of this: real ones have a
// dozen macros.
const (
	maxClosures    = 100
	maxClosureWork = 200_000
)

// settle takes away what depends on macros that are not there, and adds to each what the macros
// that it calls depend on.
func settle(closures map[int]*closure) {
	unknown := func(i int) bool { return closures[i] == nil }
	for changed := true; changed; {
		changed = false
		for i, c := range closures {
			if slices.ContainsFunc(c.macros, unknown) {
				delete(closures, i)
				changed = true
				continue
			}
			for _, called := range c.macros {
				changed = c.take(closures[called]) || changed
			}
		}
	}
}

// take adds what a called macro depends on, and reports whether that was more.
func (c *closure) take(called *closure) bool {
	before := len(c.macros) + len(c.names)
	c.macros, c.names = union(c.macros, called.macros), union(c.names, called.names)
	return len(c.macros)+len(c.names) > before
}

func union(a, b []int) []int {
	for _, n := range b {
		if !slices.Contains(a, n) {
			a = append(a, n)
		}
	}
	return a
}

// countStores counts what gives names a value.
func countStores(n node, stores map[string]int) {
	switch n := n.(type) {
	case *nameExpr:
		if n.use != useLoad {
			stores[n.name]++
		}
	case *macroStmt:
		stores[n.name]++
	}
}

// closureFinder walks a macro; open is set once it may depend on something else.
type closureFinder struct {
	closure
	given  map[int]int
	budget *int // nodes that may yet be looked at for mentions
	open   bool
}

// scope walks a scope: how its variables begin, and what is in it.
func (f *closureFinder) scope(enter entering, body []stmt, more []node) {
	for _, op := range enter {
		switch {
		case op.kind == loadResolve:
			f.names = union(f.names, []int{op.name})
		case op.kind == loadAlias && op.from.hops > 0 && f.fresh(body, op.to) != freshSet:
			f.outer(op.from)
		}
	}
	for _, n := range append(stmtNodes(body), more...) {
		f.visit(n)
	}
}

// outer notes a variable of the frame in which the macro was defined.
func (f *closureFinder) outer(p place) {
	if p.hops == 0 {
		return
	}
	f.open = f.open || p.hops > 1
	if name, ok := f.given[p.index]; ok {
		f.names = union(f.names, []int{name})
	} else {
		f.macros = union(f.macros, []int{p.index})
	}
}

func (f *closureFinder) visit(n node) {
	switch n := n.(type) {
	case *nameExpr:
		f.outer(n.where)
	case *constExpr: // select takes tests by name
		s, ok := n.value.(*Str)
		f.open = f.open || ok && s.text == tellsApart
	case *setStmt:
		f.target(&n.assign)
		f.visit(n.value)
	case *setBlockStmt:
		f.target(&n.assign)
		f.scope(n.enter, n.body, nil)
		if n.filter != nil {
			f.visit(n.filter)
		}
	case *forStmt:
		f.open = f.open || n.recursive
		f.visit(n.iter)
		f.scope(n.enter, n.body, nil)
		f.scope(n.enterTest, nil, present(n.test))
		f.scope(n.enterElse, n.other, nil)
	case *withStmt:
		f.scope(n.enter, n.body, exprNodes(n.values))
	case *filterStmt:
		f.scope(n.enter, n.body, []node{n.filter})
	case *callStmt, *macroStmt:
		f.open = true
	case *testExpr:
		f.open = f.open || n.name == tellsApart
		f.parts(n)
	default:
		f.parts(n)
	}
}

// tellsApart is the test by which equal arguments are not the same.
const tellsApart = "sameas"

func (f *closureFinder) parts(n node) {
	for _, c := range children(n) {
		f.visit(c)
	}
}

// target notes what is assigned to: a namespace of somebody else's must not be.
func (f *closureFinder) target(t *target) {
	f.open = f.open || t.hops > 0
	for i := range t.parts {
		f.target(&t.parts[i])
	}
}

// freshness says what statements do with a variable that begins as a copy of somebody else's.
type freshness uint8

const (
	freshUnused freshness = iota
	freshSet              // it is always set before it is read
	freshRead             // it may be read first
)

// fresh follows a variable, by its slot, through statements in the order in which they run.
func (f *closureFinder) fresh(body []stmt, slot int) freshness {
	for i, s := range body {
		switch does := f.freshIn(s, slot); {
		case does == freshUnused:
		case does == freshSet && always(s), does == freshRead:
			return does
		default: // set in some branches alone
			if f.fresh(body[i+1:], slot) != freshUnused {
				return freshRead
			}
			return freshSet
		}
	}
	return freshUnused
}

func (f *closureFinder) freshIn(s stmt, slot int) freshness {
	if !f.mentions(s, slot) {
		return freshUnused
	}
	switch s := s.(type) {
	case *setStmt:
		if s.assign.attr == nil && !s.assign.tuple && !f.mentions(s.value, slot) {
			return freshSet
		}
	case *ifStmt:
		branches := append([]*ifStmt{{test: s.test, body: s.body}}, s.elifs...)
		for _, b := range branches {
			if f.mentions(b.test, slot) || f.fresh(b.body, slot) == freshRead {
				return freshRead
			}
		}
		if f.fresh(s.other, slot) != freshRead {
			return freshSet
		}
	}
	return freshRead
}

// always reports a statement that, if it sets a variable at all, does so whatever the
// conversation.
func always(s stmt) bool { _, ok := s.(*setStmt); return ok }

// mentions reports whether a variable of the running function is used or assigned in n, or copied
// from.
func (f *closureFinder) mentions(n node, slot int) bool {
	found := false
	here := place{0, slot}
	copied := func(enters ...entering) {
		for _, ops := range enters {
			found = found || slices.ContainsFunc(ops, func(op enterOp) bool { return op.kind == loadAlias && op.from == here })
		}
	}
	walk(n, func(n node) bool {
		if *f.budget--; *f.budget < 0 {
			found = true
		}
		switch n := n.(type) {
		case *nameExpr:
			found = found || n.use == useLoad && n.where == here
		case *setStmt:
			found = found || n.assign.at(here)
		case *setBlockStmt:
			found = found || n.assign.at(here)
			copied(n.enter)
		case *forStmt:
			copied(n.enter, n.enterTest, n.enterElse)
			found = found || n.bodyTarget.at(here)
		case *withStmt:
			copied(n.enter)
		case *filterStmt:
			copied(n.enter)
		}
		return !found
	})
	return found
}

// at reports whether an assignment goes to a variable or to an attribute of what it holds.
func (t *target) at(p place) bool {
	return !t.tuple && t.place == p || slices.ContainsFunc(t.parts, func(part target) bool { return part.at(p) })
}
