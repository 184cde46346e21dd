package scan

import (
	"bytes"
	"errors"
	"slices"

	"tenon/tools/declared"
)

// callsIn takes the calls out of a JSON value.
func callsIn(v []byte, o Opening) []declared.RawCall {
	v = bytes.TrimSpace(v)
	if len(v) == 0 {
		return nil
	}
	if o.Name != "" {
		return []declared.RawCall{{Name: o.Name, Args: v}}
	}
	if v[0] == '[' {
		var all []declared.RawCall
		for _, item := range declared.Items(v) {
			all = append(all, callsIn(item, o)...)
		}
		return all
	}
	if v[0] != '{' {
		return []declared.RawCall{{Source: v, Err: errors.New("not an object")}}
	}
	return objectCalls(v, o)
}

func objectCalls(v []byte, o Opening) []declared.RawCall {
	m := declared.Members(v)
	for _, k := range declared.ListKeys {
		if list, ok := m.First(k); ok {
			return leftOut(callsIn(list, o), m, k)
		}
	}
	for _, k := range o.Plan.NameKeys {
		at, ok := m.First(k)
		if !ok {
			continue
		}
		if name, ok := declared.Text(at); ok {
			return []declared.RawCall{fieldsCall(m, k, name, o)}
		}
		if at[0] == '{' { // {"type": "function", "function": {…}}
			inner := objectCalls(at, o)
			if _, isTool := o.Plan.Resolve(k); isTool && inner[0].Err != nil {
				continue // a tool has the name of a key
			}
			if id, ok := m.FirstOf(declared.IdKeys); ok && len(inner) == 1 {
				inner[0].Id, _ = declared.Text(id)
			}
			return leftOut(inner, m, k)
		}
	}
	if len(m) > 0 && (!o.Bare || o.keyed) { // {"NAME": {…}}
		return keyCalls(m, o)
	}
	return []declared.RawCall{{Source: v, Err: errors.New("no name")}}
}

func keyCalls(m declared.MemberList, o Opening) []declared.RawCall {
	all := make([]declared.RawCall, 0, len(m))
	for _, e := range m {
		if _, ok := o.Plan.Resolve(e.Key); !ok {
			return []declared.RawCall{{Err: errors.New("no name")}}
		}
		all = append(all, declared.RawCall{Name: e.Key, Args: e.Value})
	}
	return all
}

// fieldsCall reads an object with a name. Without a field for arguments, those that are no call's own are the arguments.
func fieldsCall(m declared.MemberList, nameKey, name string, o Opening) declared.RawCall {
	c := declared.RawCall{Name: name}
	if id, ok := m.FirstOf(declared.IdKeys); ok {
		c.Id, _ = declared.Text(id)
	}
	for _, k := range o.Plan.ArgsKeys {
		if args, ok := m.First(k); ok {
			c.Args = args
			return leftOut([]declared.RawCall{c}, m, nameKey, k)[0]
		}
	}
	rest := others(m, nameKey)
	if len(rest) > 0 && !o.Bare {
		c.Repairs = append(c.Repairs, "arguments-beside-name")
		c.Args = rest.Object()
		return c
	}
	c.Args = []byte("{}")
	return leftOut([]declared.RawCall{c}, m, nameKey)[0]
}

// others are the members that are neither known nor say of every call the same: its id, its number, its type.
func others(m declared.MemberList, known ...string) declared.MemberList {
	return slices.DeleteFunc(slices.Clone(m), func(e declared.Member) bool {
		return slices.Contains(known, e.Key) || slices.Contains(declared.IdKeys, e.Key) || e.Key == "type" || e.Key == "index"
	})
}

// leftOut notes on the first of some calls what the object that they were found in says besides.
func leftOut(calls []declared.RawCall, m declared.MemberList, known ...string) []declared.RawCall {
	if len(calls) > 0 {
		for _, e := range others(m, known...) {
			calls[0].Beside = append(calls[0].Beside, e.Key)
		}
	}
	return calls
}
