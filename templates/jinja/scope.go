package jinja

// entering prepares the variables of a scope when it is entered.
type entering []enterOp

type enterOp struct {
	kind loadKind
	to   int // in the running function
	from place
	name int // of loadResolve, see context
}

// target is the left side of an assignment: a slot, an attribute of a namespace, or a tuple of
// targets.
type target struct {
	place
	attr  *Str
	parts []target
	tuple bool
	// export is the name under which macros find a variable of the template's top level, 0
	// elsewhere.
	export int
}

// scope is where the resolver stands.
type scope struct {
	sym      *symbols
	fn       *function
	toplevel bool
	soft     bool // in an if: an unknown filter fails only when it is run
	loop     bool // break and continue are allowed
}

// inner opens a scope in the same function.
func (sc scope) inner() scope {
	sc.sym = newSymbols(sc.sym, sc.fn)
	sc.toplevel, sc.soft = false, false
	return sc
}

// inFunction opens a scope that is a function of its own.
func (sc scope) inFunction() scope {
	sc.fn.kept = true
	sc.fn = &function{parent: sc.fn}
	sc = sc.inner()
	sc.loop = false
	return sc
}

// export is the number under which an assignment here is seen by macros, 0 for none.
func (sc scope) export(name string) int {
	if !sc.toplevel {
		return 0
	}
	return sc.sym.shared.number(name)
}

// place says how the running function reaches a variable.
func (sc scope) place(name string) place {
	s := sc.sym.find(name)
	if s == nil { // only in a filter of a set block, which Jinja2 forgets to analyze
		sc.sym.load(name)
		s = sc.sym.find(name)
	}
	return sc.reach(s)
}

// reach says how the running function reaches a slot.
func (sc scope) reach(s *slot) place {
	p := place{index: s.index}
	for fn := sc.fn; fn != s.fn; fn = fn.parent {
		p.hops++
	}
	return p
}

// entering returns what to do when the scope is entered.
func (sc scope) entering() entering {
	var out entering
	for _, l := range sc.sym.loads {
		op := enterOp{kind: l.kind, to: l.to.index}
		switch l.kind {
		case loadParam:
			continue
		case loadResolve:
			op.name = sc.sym.shared.number(l.name)
		case loadAlias:
			op.from = sc.reach(l.from)
		}
		out = append(out, op)
	}
	return out
}
