package jinja

import (
	"math"
)

// native marks methods written in C, for the words in which they refuse arguments.
func native(typ string, table map[string]*method) {
	for _, m := range table {
		m.sig.native = typ
	}
}

// withheld are the methods by which Python would change an object; the immutable sandbox has none
// of them.
func withheld(table map[string]*method, names ...string) map[string]*method {
	for _, n := range names {
		table[n] = &method{}
	}
	return table
}

var dictAttrs, listAttrs, tupleAttrs, rangeAttrs, floatAttrs map[string]*method

func init() {
	dictAttrs = withheld(map[string]*method{
		"get":    {sig: signature{name: "get", params: []string{"key", "default"}, defaults: []Value{None}}, fn: dictGet},
		"items":  {sig: signature{name: "items"}, fn: viewOf("items")},
		"keys":   {sig: signature{name: "keys"}, fn: viewOf("keys")},
		"values": {sig: signature{name: "values"}, fn: viewOf("values")},
		"copy": {sig: signature{name: "copy"}, fn: func(rt *runtime, self Value, _ []Value) Value {
			d := self.(*Dict)
			rt.spend(entrySteps * d.Len())
			return d.clone()
		}},
		"fromkeys": {sig: signature{name: "fromkeys", params: []string{"iterable", "value"}, defaults: []Value{None}}, fn: dictFromKeys},
	}, "clear", "pop", "popitem", "setdefault", "update")
	tupleAttrs, rangeAttrs = sequenceMethods(), sequenceMethods()
	rangeAttrs["index"] = &method{sig: signature{name: "index", params: []string{"value"}}, fn: func(rt *runtime, self Value, a []Value) Value {
		return sequenceIndex(rt, self, []Value{a[0], Int(0), Int(math.MaxInt64)})
	}}
	listAttrs = withheld(sequenceMethods(), "append", "clear", "pop", "reverse", "insert", "sort", "extend", "remove")
	listAttrs["copy"] = &method{sig: signature{name: "copy"}, fn: func(_ *runtime, self Value, _ []Value) Value {
		return &List{items: self.(*List).items, depth: self.(*List).depth}
	}}
	floatAttrs = map[string]*method{
		"is_integer": {sig: signature{name: "is_integer"}, fn: isInteger},
	}
	native("dict", dictAttrs)
	native("list", listAttrs)
	native("tuple", tupleAttrs)
	native("range", rangeAttrs)
	native("float", floatAttrs)
}

// sequenceMethods are those of every sequence.
func sequenceMethods() map[string]*method {
	return map[string]*method{
		"index": {sig: signature{name: "index", params: []string{"value", "start", "stop"}, defaults: []Value{Int(0), Int(math.MaxInt64)}}, fn: sequenceIndex},
		"count": {sig: signature{name: "count", params: []string{"value"}}, fn: sequenceCount},
	}
}

func dictGet(rt *runtime, self Value, a []Value) Value {
	rt.hashable(a[0])
	if v, ok := self.(*Dict).get(a[0]); ok {
		return v
	}
	return a[1]
}

func dictFromKeys(rt *runtime, _ Value, a []Value) Value {
	d := NewDict()
	for _, k := range rt.list(a[0]) {
		rt.hashable(k)
		d.put(k, a[1])
	}
	rt.nest(d, d.Len())
	return d
}

func viewOf(kind string) func(*runtime, Value, []Value) Value {
	return func(_ *runtime, self Value, _ []Value) Value { return &dictView{kind, self.(*Dict)} }
}

func sequenceIndex(rt *runtime, self Value, a []Value) Value {
	list := rt.list(self)
	from, to, _ := span(len(list), a[1], a[2], None)
	for i := from; i < to; i++ {
		if rt.equal(list[i], a[0]) {
			return Int(i)
		}
	}
	switch self.(type) {
	case *List:
		throw(typeValue, "%s is not in list", rt.repr(a[0]).text)
	case *rangeValue:
		throw(typeValue, "%s is not in range", rt.repr(a[0]).text)
	}
	throw(typeValue, "tuple.index(x): x not in tuple")
	return nil
}

func sequenceCount(rt *runtime, self Value, a []Value) Value {
	n := 0
	for _, v := range rt.list(self) {
		if rt.equal(v, a[0]) {
			n++
		}
	}
	return Int(n)
}

// intOf turns a bool into the int that it is.
func intOf(v Value) Value {
	if b, ok := v.(Bool); ok {
		n, _ := asInt(b)
		return Int(n)
	}
	return v
}

func isInteger(_ *runtime, v Value, _ []Value) Value {
	f := float64(v.(Float))
	return Bool(f == math.Trunc(f) && !math.IsInf(f, 0))
}
