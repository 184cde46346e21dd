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
	mustDefined(v)
	if a := attribute(v, name); a != nil {
		return a
	}
	if d, ok := v.(*Dict); ok && !withheld(name) {
		if item, ok := d.Get(name); ok {
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
	mustDefined(v)
	if d, ok := v.(*Dict); ok {
		rt.scan(key)
		if item, ok := d.get(key); ok || !rt.isHashable(key) {
			return item
		}
	}
	if name, ok := key.(*Str); ok {
		return attribute(v, name.text)
	}
	i, ok := asInt(key)
	if !ok {
		return nil
	}
	switch v := v.(type) {
	case *List:
		if i = index(i, len(v.items)); i >= 0 && v.ordinary() {
			return v.items[i]
		}
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

// withheld reports the methods by which Python would change a dict: the immutable sandbox shows
// neither them nor an item of their name.
func withheld(name string) bool {
	m, ok := dictMethods[name]
	return ok && m == nil
}

// attribute returns what the sandbox shows of a Python object's attribute, or nil where there is
// none.
func attribute(v Value, name string) Value {
	switch v := v.(type) {
	case *namespace:
		item, _ := v.attrs.Get(name)
		return item
	case *loopValue:
		return v.attr(name)
	}
	m := methodsOf(v)[name]
	if m == nil {
		return nil
	}
	return &builtin{name, func(rt *runtime, a *callArgs) Value { return m.call(rt, v, a) }}
}
