package jinja

func (e *constExpr) eval(f *frame) Value {
	f.rt.spend(1)
	return e.value
}

func (e *nameExpr) eval(f *frame) Value {
	f.rt.spend(1)
	if v := f.get(e.where); v != nil {
		return v
	}
	return e.missing
}

// eval of a namespace attribute is not reached: it only stands on the left of a set.
func (e *nsRefExpr) eval(*frame) Value { return None }

func evalAll(f *frame, list []expr) []Value {
	out := make([]Value, len(list))
	for i, e := range list {
		out[i] = e.eval(f)
	}
	return out
}

func (e *listExpr) eval(f *frame) Value { return f.rt.newList(e.kind, evalAll(f, e.items)) }

func (e *dictExpr) eval(f *frame) Value {
	d := NewDict()
	for i, k := range e.keys {
		key := k.eval(f)
		v := e.values[i].eval(f)
		f.rt.pos = e.at
		d.put(f.rt.hashable(key), v)
	}
	return f.rt.nest(d)
}

func (e *unaryExpr) eval(f *frame) Value {
	v := e.node.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	return unary(e.op, v)
}

func (e *binExpr) eval(f *frame) Value {
	if e.op == "+" {
		var few [8]*Str
		parts, v := e.sum(f, few[:0])
		if v == nil {
			v = f.rt.joined(parts)
		}
		return v
	}
	a := e.left.eval(f)
	b := e.right.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	return f.rt.binary(e.op, a, b)
}

func (e *logicExpr) eval(f *frame) Value {
	if v := e.left.eval(f); truthy(v) != e.wanted {
		return v
	}
	return e.right.eval(f)
}

func (e *notExpr) eval(f *frame) Value { return Bool(!f.holds(e.node)) }

func (e *concatExpr) eval(f *frame) Value {
	parts := make([]*Str, len(e.items))
	for i, it := range e.items {
		parts[i] = f.rt.str(it.eval(f))
	}
	f.rt.pos = e.at
	return f.rt.joined(parts)
}

func (e *compareExpr) eval(f *frame) Value { return Bool(e.holds(f)) }

func (e *compareExpr) holds(f *frame) bool {
	a := e.first.eval(f)
	for i := range e.ops {
		b := e.ops[i].expr.eval(f)
		f.rt.pos = e.at
		f.rt.spend(1)
		if !f.rt.compare(e.ops[i].op, a, b) {
			return false
		}
		a = b
	}
	return true
}

func (e *attrExpr) eval(f *frame) Value {
	v := e.node.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	if found := e.of(f.rt, v); found != nil {
		return found
	}
	return &undefined{owner: v, name: e.name}
}

func (e *itemExpr) eval(f *frame) Value {
	v := e.node.eval(f)
	if s, ok := e.key.(*sliceExpr); ok {
		start, stop, step := s.bound(f, s.start), s.bound(f, s.stop), s.bound(f, s.step)
		f.rt.pos = e.at
		return f.rt.slice(v, start, stop, step)
	}
	k := e.key.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	return f.rt.getItem(v, k)
}

func (e *sliceExpr) bound(f *frame, b expr) Value {
	if b == nil {
		return None
	}
	return b.eval(f)
}

// eval of a slice outside a subscript is not reached: the parser refuses it.
func (e *sliceExpr) eval(*frame) Value { return None }

func (e *callExpr) eval(f *frame) Value {
	rt := f.rt
	var fn Value
	if a, ok := e.node.(*attrExpr); ok {
		self := a.node.eval(f)
		rt.pos = a.at
		rt.spend(1)
		if v := e.method(f, self, a.name.text); v != nil {
			return v
		}
		fn = rt.getAttr(self, a.name)
	} else {
		fn = e.node.eval(f)
	}
	args := e.args.eval(f)
	rt.pos = e.at
	return rt.callValue(fn, args)
}

// method is eval for the usual call of a built-in type's method, without making the bound method
// first; nil where it is something else, and nothing was evaluated yet.
func (e *callExpr) method(f *frame, self Value, name string) Value {
	if e.args.named != nil {
		return nil
	}
	m := methodsOf(self)[name]
	if m == nil {
		return nil
	}
	args := e.args.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	v := m.call(f.rt, self, args)
	f.rt.releaseArgs(args)
	return v
}

// callValue calls any value.
func (rt *runtime) callValue(fn Value, args *callArgs) Value {
	rt.spend(1)
	switch fn := fn.(type) {
	case callable:
		return fn.call(rt, args)
	case *undefined:
		fn.fail()
	}
	throw(typeType, "'%s' object is not callable", fn.typeName())
	return nil
}

func (e *filterExpr) eval(f *frame) Value { return e.apply(f, e.node.eval(f)) }

// over applies a chain of filters that has no expression at its start, as filter and set blocks
// have, to a text.
func (e *filterExpr) over(f *frame, body *Str) Value {
	if inner, ok := e.node.(*filterExpr); ok {
		return e.apply(f, inner.over(f, body))
	}
	return e.apply(f, body)
}

// apply calls the filter with a value.
func (e *filterExpr) apply(f *frame, v Value) Value {
	args := e.args.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	if e.fn == nil {
		throw(typeTemplate, "No filter named %s.", reprText(e.name))
	}
	return e.fn.once(f.rt, v, args)
}

// once is call with arguments that nobody else has.
func (n *native) once(rt *runtime, v Value, a *callArgs) Value {
	out := n.call(rt, v, a)
	if n.raw == nil { // which keeps them
		rt.releaseArgs(a)
	}
	return out
}

func (e *testExpr) eval(f *frame) Value {
	if e.presence != 0 {
		return Bool(f.holds(e))
	}
	v := e.node.eval(f)
	args := e.args.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	if e.fn == nil {
		throw(typeTemplate, "No test named %s.", reprText(e.name))
	}
	return e.fn.once(f.rt, v, args)
}

func (e *condExpr) eval(f *frame) Value {
	if f.holds(e.test) {
		return e.yes.eval(f)
	}
	if e.no != nil {
		return e.no.eval(f)
	}
	return &undefined{hint: "the inline if-expression evaluated to false and no else section was defined."}
}
