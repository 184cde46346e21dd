package jinja

// Printing is what templates do most, and what they print is most often put together for it: a sum
// of texts, a macro's result, one of two literals. Here such values are written piece by piece;
// nothing else depends on the whole.

// emit writes what e evaluates to as print does where nothing is escaped.
func (f *frame) emit(e expr) {
	rt := f.rt
	switch e := e.(type) {
	case *binExpr:
		if e.op == "+" {
			f.emitSum(e)
			return
		}
	case *condExpr:
		if f.holds(e.test) {
			f.emit(e.yes)
		} else if e.no != nil {
			f.emit(e.no)
		}
		return
	case *callExpr:
		if e.emit(f) {
			return
		}
	}
	rt.print(rt.str(e.eval(f)))
}

func (rt *runtime) print(s *Str) {
	rt.room(len(s.text))
	rt.out.add(s)
}

func (f *frame) emitSum(e *binExpr) {
	var few [8]*Str
	parts, v := e.sum(f, few[:0])
	for _, p := range parts {
		f.rt.print(p)
	}
	if v != nil {
		f.rt.print(f.rt.str(v))
	}
}

// sum adds up a chain of additions: as the texts to be joined, or as the value if it is not one of
// texts.
func (e *binExpr) sum(f *frame, parts []*Str) ([]*Str, Value) {
	var left Value
	if l, ok := e.left.(*binExpr); ok && l.op == "+" {
		parts, left = l.sum(f, parts)
	} else {
		left = e.left.eval(f)
		if s, ok := left.(*Str); ok && !s.markup {
			parts, left = append(parts, s), nil
		}
	}
	right := e.right.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	if left != nil {
		return parts, f.rt.binary(e.op, left, right)
	}
	if s, ok := right.(*Str); ok && !s.markup {
		return append(parts, s), nil
	}
	return parts[:0], f.rt.binary(e.op, f.rt.joined(parts), right)
}

// joined is the texts in one.
func (rt *runtime) joined(parts []*Str) *Str {
	n := 0
	for _, p := range parts {
		n += len(p.text)
	}
	rt.make(n)
	return joinStrs(emptyStr, parts)
}

// emit writes a macro's result without making a text of it first; false if something else is
// called, and nothing was evaluated yet.
func (e *callExpr) emit(f *frame) bool {
	name, ok := e.node.(*nameExpr)
	if !ok {
		return false
	}
	m, ok := name.eval(f).(*macro)
	if !ok {
		return false
	}
	args := e.args.eval(f)
	f.rt.pos = e.at
	f.rt.spend(1)
	m.print(f.rt, args)
	return true
}

// holds is whether an expression is true, without making what only tells that it is not there.
func (f *frame) holds(e expr) bool {
	switch e := e.(type) {
	case *notExpr:
		return !f.holds(e.node)
	case *logicExpr:
		left := f.holds(e.left)
		return left != e.wanted && left || left == e.wanted && f.holds(e.right)
	case *compareExpr:
		return e.holds(f)
	case *attrExpr, *itemExpr:
		v := f.find(e)
		return v != nil && truthy(v)
	case *testExpr:
		if e.presence != 0 {
			v := f.find(e.node)
			return (v != nil && !isUndefined(v)) == (e.presence > 0)
		}
	}
	return truthy(e.eval(f))
}

// of is the attribute of v, nil if it is not there.
func (e *attrExpr) of(rt *runtime, v Value) Value {
	if e.item {
		switch v := v.(type) {
		case *Dict:
			item, _ := v.Get(e.name.text)
			return item
		case *namespace:
			item, _ := v.attrs.Get(e.name.text)
			return item
		case *loopValue:
			return v.attr(e.name.text)
		}
	}
	return rt.findAttr(v, e.name.text)
}

// find evaluates e; nil is an attribute or item that is not there.
func (f *frame) find(e expr) Value {
	switch e := e.(type) {
	case *attrExpr:
		v := e.node.eval(f)
		f.rt.pos = e.at
		f.rt.spend(1)
		return e.of(f.rt, v)
	case *itemExpr:
		if _, slice := e.key.(*sliceExpr); slice {
			break
		}
		v := e.node.eval(f)
		k := e.key.eval(f)
		f.rt.pos = e.at
		f.rt.spend(1)
		return f.rt.findItem(v, k)
	}
	return e.eval(f)
}
