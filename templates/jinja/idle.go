package jinja

import "slices"

// Templates look for something in a loop that they cannot leave: once a flag is set, what remains
// goes round for nothing, and with one such loop per message a conversation costs its length
// squared. A loop whose body is one if is left here as soon as an iteration did nothing and its
// tests cannot come out otherwise: what they read does not change between iterations that do
// nothing.

// findIdle notes what loopOver needs to leave a loop early: the if that is its whole body, and how
// many of its tests stay as they are.
func (s *forStmt) findIdle() {
	target, named := s.target.(*nameExpr)
	if !named || s.test != nil || s.loop >= 0 || len(s.body) != 1 {
		return
	}
	sole, ok := s.body[0].(*ifStmt)
	if !ok {
		return
	}
	tests := []expr{sole.test}
	for _, e := range sole.elifs {
		tests = append(tests, e.test)
	}
	changing := func(e expr) bool { return !steady(e, target.name) }
	if s.steady = slices.IndexFunc(tests, changing); s.steady < 0 {
		s.steady = len(tests) + 1 // and none of them being true stays as it is, too
	}
	if s.steady > 0 {
		s.sole = sole
	}
}

// steady reports an expression that comes out the same, and without effect, until something else
// is executed or the variable of the loop changes.
func steady(e expr, variable string) bool {
	switch e := e.(type) {
	case *nameExpr:
		return e.name != variable
	case *compareExpr:
		// Looking for something in a generator uses it up.
		if slices.ContainsFunc(e.ops, func(o operand) bool { return o.op.contains() && !constant(o.expr) }) {
			return false
		}
	case *testExpr:
		if len(e.args.nodes()) > 0 {
			return false
		}
	case *constExpr, *listExpr, *attrExpr, *itemExpr, *notExpr, *logicExpr:
	default:
		return false
	}
	return !slices.ContainsFunc(exprChildren(e), func(n node) bool { return !steady(n.(expr), variable) })
}

// constant reports an expression made of nothing but literals.
func constant(e expr) bool {
	switch e.(type) {
	case *constExpr, *listExpr, *dictExpr, *unaryExpr, *binExpr, *logicExpr, *notExpr, *concatExpr, *compareExpr:
		return !slices.ContainsFunc(exprChildren(e), func(n node) bool { return !constant(n.(expr)) })
	}
	return false
}

// idles runs the loop's sole if, and says whether every iteration from here on would do nothing.
func (s *forStmt) idles(f *frame) (control, bool) {
	tested, body := s.sole.branch(f)
	if len(body) == 0 {
		return proceed, tested < s.steady
	}
	return f.run(body), false
}

// unread reports a value that nobody misses the reading of.
func unread(v Value) bool {
	if _, ok := v.(*rangeValue); ok {
		return true
	}
	_, ok := v.(*List)
	return ok
}
