package tools

import (
	"bytes"
	"errors"
	"slices"
)

// callsIn takes the calls out of a JSON value.
func callsIn(v []byte, o opening) []rawCall {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return nil
	}
	if o.name != "" {
		return []rawCall{{name: o.name, args: v}}
	}
	if v[0] == '[' {
		var all []rawCall
		for _, item := range items(v) {
			all = append(all, callsIn(item, o)...)
		}
		return all
	}
	if v[0] != '{' {
		return []rawCall{{source: v, err: errors.New("not an object")}}
	}
	return objectCalls(v, o)
}

func objectCalls(v []byte, o opening) []rawCall {
	m := members(v)
	for _, k := range listKeys {
		if list, ok := m.first(k); ok {
			return leftOut(callsIn(list, o), m, k)
		}
	}
	for _, k := range o.plan.nameKeys {
		at, ok := m.first(k)
		if !ok {
			continue
		}
		if name, ok := text(at); ok {
			return []rawCall{fieldsCall(m, k, name, o)}
		}
		if at[0] == '{' { // {"type": "function", "function": {…}}
			inner := objectCalls(at, o)
			if _, isTool := o.plan.resolve(k); isTool && inner[0].err != nil {
				continue // a tool has the name of a key
			}
			if id, ok := m.firstOf(idKeys); ok && len(inner) == 1 {
				inner[0].id, _ = text(id)
			}
			return leftOut(inner, m, k)
		}
	}
	if len(m) > 0 && (!o.bare || o.keyed) { // {"NAME": {…}}
		return keyCalls(m, o)
	}
	return []rawCall{{source: v, err: errors.New("no name")}}
}

func keyCalls(m memberList, o opening) []rawCall {
	all := make([]rawCall, 0, len(m))
	for _, e := range m {
		if _, ok := o.plan.resolve(e.key); !ok {
			return []rawCall{{err: errors.New("no name")}}
		}
		all = append(all, rawCall{name: e.key, args: e.value})
	}
	return all
}

// fieldsCall reads an object with a name. Without a field for arguments, those that are no call's own are the arguments.
func fieldsCall(m memberList, nameKey, name string, o opening) rawCall {
	c := rawCall{name: name}
	if id, ok := m.firstOf(idKeys); ok {
		c.id, _ = text(id)
	}
	for _, k := range o.plan.argsKeys {
		if args, ok := m.first(k); ok {
			c.args = args
			return leftOut([]rawCall{c}, m, nameKey, k)[0]
		}
	}
	rest := m.others(nameKey)
	if len(rest) > 0 && !o.bare {
		c.repairs = append(c.repairs, "arguments-beside-name")
		c.args = rest.object()
		return c
	}
	c.args = []byte("{}")
	return leftOut([]rawCall{c}, m, nameKey)[0]
}

// others are the members that are neither known nor say of every call the same: its id, its number, its type.
func (m memberList) others(known ...string) memberList {
	return slices.DeleteFunc(slices.Clone(m), func(e member) bool {
		return slices.Contains(known, e.key) || slices.Contains(idKeys, e.key) || e.key == "type" || e.key == "index"
	})
}

// leftOut notes on the first of some calls what the object that they were found in says besides.
func leftOut(calls []rawCall, m memberList, known ...string) []rawCall {
	if len(calls) > 0 {
		for _, e := range m.others(known...) {
			calls[0].beside = append(calls[0].beside, e.key)
		}
	}
	return calls
}
