package jinja

// resolver fills in where the tree's names live, finds its filters and checks what only the whole
// tree shows. It panics with a *syntaxError.
type resolver struct {
	shared
}

// rootSymbols opens the scope of a template or block.
func (r *resolver) rootSymbols(fn *function) *symbols {
	s := newSymbols(nil, fn)
	s.shared = &r.shared
	return s
}

// resolve prepares a template's body.
func (r *resolver) resolve(body []stmt) (*function, entering) {
	sc := scope{fn: &function{}, toplevel: true}
	sc.sym = r.rootSymbols(sc.fn)
	sc.sym.analyze(nodesOf(body)...)
	r.stmts(body, sc)
	return sc.fn, sc.entering()
}

func (r *resolver) stmts(list []stmt, sc scope) {
	for _, s := range list {
		r.stmt(s, sc)
	}
}

func (r *resolver) stmt(s stmt, sc scope) {
	switch s := s.(type) {
	case *outputStmt:
		r.stmts(s.items, sc)
	case *printStmt:
		r.exprs(sc, s.value)
	case *ifStmt:
		r.ifStmt(s, sc)
	case *forStmt:
		r.forStmt(s, sc)
	case *macroStmt:
		s.where, s.export = sc.place(s.name), sc.export(s.name)
		r.macro(s, sc)
	case *generationStmt:
		in := sc.inner()
		in.loop = false
		in.sym.analyze(nodesOf(s.body)...)
		r.stmts(s.body, in)
		s.enter = in.entering()
	case *filterStmt:
		in := sc.inner()
		in.sym.analyze(append(nodesOf(s.body), s.filter)...)
		r.stmts(s.body, in)
		r.exprs(in, s.filter)
		s.enter = in.entering()
	case *setStmt:
		s.assign = r.target(s.target, sc)
		r.exprs(sc, s.value)
	case *setBlockStmt:
		r.setBlock(s, sc)
	case *loopControl:
		if !sc.loop {
			failAt(s.position(), "%s", map[control]string{breakLoop: "'break' outside loop", continueLoop: "'continue' not properly in loop"}[s.control])
		}
	}
}

func (r *resolver) ifStmt(s *ifStmt, sc scope) {
	sc.soft = true
	r.exprs(sc, s.test)
	r.stmts(s.body, sc)
	for _, e := range s.elifs {
		r.exprs(sc, e.test)
		r.stmts(e.body, sc)
	}
	r.stmts(s.other, sc)
}

func (r *resolver) forStmt(s *forStmt, sc scope) {
	walk(s, func(n node) {
		if name, ok := n.(*nameExpr); ok && name.use == useStore && name.name == "loop" {
			failAt(name.position(), "Can't assign to special loop variable in for-loop target")
		}
	})
	r.exprs(sc, s.iter)
	body := sc.inner()
	body.loop = true
	if undeclared(nodesOf(s.body), "loop")["loop"] {
		s.loop = body.sym.param("loop").index
	}
	body.sym.bindTarget(s.target)
	body.sym.analyze(nodesOf(s.body)...)
	if s.test != nil {
		sc.fn.kept = true
		test := sc.inner()
		test.sym.bindTarget(s.target)
		test.sym.analyze(s.test)
		r.exprs(test, s.test)
		s.testTarget = r.target(s.target, test)
		s.enterTest = test.entering()
	}
	s.bodyTarget = r.target(s.target, body)
	r.stmts(s.body, body)
	s.enter = body.entering()
	if s.other != nil {
		other := sc.inner()
		other.sym.analyze(nodesOf(s.other)...)
		r.stmts(s.other, other)
		s.enterElse = other.entering()
	}
	s.findIdle()
}

// macro resolves a macro's function.
func (r *resolver) macro(d *macroStmt, sc scope) {
	in := sc.inFunction()
	in.sym.analyze(append(append(nodesOf(d.args), nodesOf(d.defaults)...), nodesOf(d.body)...)...)
	used := undeclared(nodesOf(d.body), "caller", "kwargs", "varargs")
	explicit := map[string]bool{}
	for _, a := range d.args {
		if explicit[a.name] {
			failAt(a.position(), "duplicate argument %s in function definition", reprText(a.name))
		}
		explicit[a.name] = true
		d.params = append(d.params, in.sym.param(a.name).index)
	}
	for _, name := range []string{"caller", "varargs"} {
		if used[name] && !explicit[name] {
			failAt(d.position(), "a macro has no %s here", name)
		}
	}
	if d.kwargs = -1; used["kwargs"] && !explicit["kwargs"] {
		d.kwargs = in.sym.param("kwargs").index
	}
	r.exprs(in, d.defaults...)
	r.stmts(d.body, in)
	d.fn, d.enter = in.fn, in.entering()
}

func (r *resolver) setBlock(s *setBlockStmt, sc scope) {
	in := sc.inner()
	in.sym.analyze(nodesOf(s.body)...)
	s.assign = r.target(s.target, sc)
	if s.filter != nil {
		r.exprs(in, s.filter)
	}
	r.stmts(s.body, in)
	s.enter = in.entering()
}

// target resolves the left side of an assignment.
func (r *resolver) target(e expr, sc scope) target {
	switch e := e.(type) {
	case *nameExpr:
		return target{place: sc.place(e.name), export: sc.export(e.name)}
	case *nsRefExpr:
		return target{place: sc.place(e.name), attr: trusted(e.attr)}
	case *listExpr:
		t := target{tuple: true}
		for _, it := range e.items {
			t.parts = append(t.parts, r.target(it, sc))
		}
		return t
	}
	return target{}
}

// exprs resolves expressions and everything in them.
func (r *resolver) exprs(sc scope, list ...expr) {
	for _, e := range list {
		r.expr(e, sc)
	}
}

func (r *resolver) expr(e expr, sc scope) {
	switch e := e.(type) {
	case *nameExpr:
		e.where, e.missing = sc.place(e.name), &undefined{name: trusted(e.name)}
	case *filterExpr:
		if e.fn = filters[e.name]; e.fn == nil && !sc.soft {
			failAt(e.position(), "No filter named %s.", reprText(e.name))
		}
	case *testExpr:
		if e.fn = tests[e.name]; e.fn == nil && !sc.soft {
			failAt(e.position(), "No test named %s.", reprText(e.name))
		}
		if len(e.args.nodes()) == 0 {
			e.presence = map[string]int{"defined": 1, "undefined": -1}[e.name]
		}
	case *condExpr:
		sc.soft = true
	}
	for _, c := range exprChildren(e) {
		r.expr(c.(expr), sc)
	}
}
