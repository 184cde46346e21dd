package jinja

// getAttr is v.name: an attribute, else an item.
func (rt *runtime) getAttr(v Value, name *Str) Value {
	if found := rt.findAttr(v, name.text); found != nil {
		return found
	}
	return &undefined{owner: v, name: name}
}

// findAttr is getAttr, or nil where there is neither.
func (rt *runtime) findAttr(v Value, name string) Value {
	d, ok := v.(*Dict)
	if !ok || name[0] == '_' || dictAttrs[name] != nil {
		mustDefined(v)
		if a := rt.attribute(v, name); a != nil {
			return a
		}
	}
	if ok {
		if item, ok := d.getString(name); ok {
			return item
		}
	}
	return nil
}

// getItem is v[key]: an item, else an attribute.
func (rt *runtime) getItem(v, key Value) Value {
	if found := rt.findItem(v, key); found != nil {
		return found
	}
	return &undefined{owner: v, name: key}
}

// findItem is getItem, or nil where there is neither.
func (rt *runtime) findItem(v, key Value) Value {
	name, ok := key.(*Str)
	if d, isDict := v.(*Dict); ok && isDict {
		rt.scan(key)
		if item, found := d.getString(name.text); found {
			return item
		}
	} else if item := rt.item(v, key); item != nil {
		return item
	}
	if ok {
		return rt.attribute(v, name.text)
	}
	return nil
}

// item is what Python's v[key] returns, or nil where it raises TypeError, IndexError or KeyError.
func (rt *runtime) item(v, key Value) Value {
	switch v := v.(type) {
	case *undefined:
		v.fail()
	case *Dict:
		rt.scan(key)
		if !rt.isHashable(key) {
			return nil
		}
		if item, ok := v.get(key); ok {
			return item
		}
		return nil
	}
	i, ok := asInt(key)
	if !ok {
		return nil
	}
	if list, ok := items(v); ok {
		if i = index(i, len(list)); i >= 0 {
			return list[i]
		}
		return nil
	}
	switch v := v.(type) {
	case *rangeValue:
		if i = index(i, v.n); i >= 0 {
			return v.at(int(i))
		}
	case *Str:
		rt.spend(1 + len(v.text)/bytesPerStep)
		chars := v.index()
		if i = index(i, chars.n); i >= 0 {
			return v.slice(chars.at(int(i)), chars.at(int(i)+1))
		}
	}
	return nil
}

// index resolves a negative index; -1 is out of range.
func index(i int64, n int) int64 {
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return -1
	}
	return i
}

func (rt *runtime) isHashable(v Value) bool {
	switch v := v.(type) {
	case *List, *Dict:
		return false
	case *Tuple, *groupTuple:
		list, _ := items(v)
		rt.spend(len(list))
		for _, it := range list {
			rt.scan(it)
			if !rt.isHashable(it) {
				return false
			}
		}
	}
	return true
}

// attribute returns what the sandbox shows of a Python object's attribute, or nil where there is
// none.
func (rt *runtime) attribute(v Value, name string) Value {
	if dunder(v, name) {
		return unsafe(v, name)
	}
	switch v := v.(type) {
	case *Str:
		return strAttribute(v, name)
	case *Dict:
		return methodOf(dictAttrs, v, name)
	case *List:
		return methodOf(listAttrs, v, name)
	case *Tuple:
		return methodOf(tupleAttrs, v, name)
	case *groupTuple:
		switch name {
		case "grouper":
			return v.items[0]
		case "list":
			return v.items[1]
		}
		return methodOf(tupleAttrs, v, name)
	case *namespace:
		if item, ok := v.attrs.getString(name); ok {
			if name[0] == '_' {
				return unsafe(v, name)
			}
			return item
		}
	case *loopValue:
		return v.attr(name)
	case *macro:
		return v.attr(name)
	default:
		return smallAttribute(v, name)
	}
	return nil
}

// smallAttribute serves the types with few attributes.
func smallAttribute(v Value, name string) Value {
	switch v := v.(type) {
	case Float:
		return methodOf(floatAttrs, v, name)
	case *rangeValue:
		switch name {
		case "start":
			return Int(v.start)
		case "stop":
			return Int(v.stop)
		case "step":
			return Int(v.step)
		}
		return methodOf(rangeAttrs, v, name)
	case *joiner:
		switch name {
		case "sep":
			return v.sep
		case "used":
			return Bool(v.used)
		}
	case *cycler:
		switch name {
		case "items":
			return NewTuple(v.items...)
		case "pos":
			return Int(v.pos)
		case "current":
			return v.items[v.pos]
		case "next":
			return &builtin{name: "next", fn: v.next}
		case "reset":
			return &builtin{name: "reset", fn: v.reset}
		}
	}
	return nil
}

// unsafe is what the sandbox returns for an attribute that it withholds.
func unsafe(v Value, name string) Value {
	hint := "access to attribute " + reprText(name) + " of " + reprText(v.typeName()) + " object is unsafe."
	return &undefined{why: &reason{typ: typeSecurity, hint: hint}}
}

// method is a method of a built-in type; fn nil means that the sandbox withholds it.
type method struct {
	sig signature
	fn  func(rt *runtime, self Value, a []Value) Value
	// value makes it an attribute rather than a method.
	value func(self Value) Value
}

func methodOf(table map[string]*method, v Value, name string) Value {
	m := table[name]
	switch {
	case m == nil:
		return nil
	case m.value != nil:
		return m.value(v)
	case m.fn == nil:
		return unsafe(v, name)
	}
	return &builtin{name, v.typeName(), func(rt *runtime, a *callArgs) Value { return m.fn(rt, v, m.sig.bind(a)) }}
}
