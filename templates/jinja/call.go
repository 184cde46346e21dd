package jinja

import (
	"slices"
	"strings"
)

// callArgs are the evaluated arguments of a call.
type callArgs struct {
	pos []Value
	kw  []keyword
	few [3]Value // room for what calls usually have
	one [1]keyword
}

type keyword struct {
	name  *Str
	value Value
}

// noArgs are the arguments of a call without any; nobody changes arguments.
var noArgs = &callArgs{}

// takeKeyword removes a keyword from a list, which it does not change.
func takeKeyword(kw []keyword, name string) (Value, []keyword, bool) {
	for i, k := range kw {
		if k.name.text == name && len(kw) == 1 {
			return k.value, nil, true
		}
		if k.name.text == name {
			rest := append(append([]keyword{}, kw[:i]...), kw[i+1:]...)
			return k.value, rest, true
		}
	}
	return nil, kw, false
}

// eval computes the arguments of a call.
func (a *arguments) eval(f *frame) *callArgs {
	if len(a.pos)+len(a.named) == 0 {
		return noArgs
	}
	out := f.rt.newArgs()
	out.pos, out.kw = out.few[:0], out.one[:0]
	for _, e := range a.pos {
		out.pos = append(out.pos, e.eval(f))
	}
	for i, e := range a.named {
		out.kw = append(out.kw, keyword{a.names[i], e.eval(f)})
	}
	return out
}

// newArgs returns room for arguments; releaseArgs takes it back from a callee that kept nothing of
// it.
func (rt *runtime) newArgs() *callArgs {
	n := len(rt.args)
	if n == 0 {
		return &callArgs{}
	}
	a := rt.args[n-1]
	rt.args = rt.args[:n-1]
	return a
}

func (rt *runtime) releaseArgs(a *callArgs) {
	if a != noArgs {
		*a = callArgs{}
		rt.args = append(rt.args, a)
	}
}

// native is a filter, a test or a method: a function whose first argument is the value that it is
// applied to.
type native struct {
	name     string
	params   []string
	defaults []Value // of the last parameters
	fn       func(rt *runtime, a []Value) Value
	// raw takes the arguments as they are, for what hands them on.
	raw func(rt *runtime, v Value, a *callArgs) Value
}

// fn makes a native of a function's parameters, the first of which is the value.
func fn(params string, f func(rt *runtime, a []Value) Value, defaults ...Value) *native {
	return &native{params: strings.Fields(params), defaults: defaults, fn: f}
}

// named gives the natives of a table their names.
func named(table map[string]*native) map[string]*native {
	for name, n := range table {
		n.name = name
	}
	return table
}

// call applies the native to a value.
func (n *native) call(rt *runtime, v Value, a *callArgs) Value {
	rt.scan(v)
	for _, arg := range a.pos {
		rt.scan(arg)
	}
	if n.raw != nil {
		return n.raw(rt, v, a)
	}
	args := make([]Value, len(n.params))
	if args[0] = v; len(a.pos) >= len(args) {
		throw(typeType, "%s() takes at most %d arguments (%d given)", n.name, len(args)-1, len(a.pos))
	}
	copy(args[1:], a.pos)
	for _, k := range a.kw {
		i := slices.Index(n.params, k.name.text)
		if i <= 0 || args[i] != nil {
			throw(typeType, "%s() got an unexpected keyword argument %s", n.name, reprText(k.name.text))
		}
		args[i] = k.value
	}
	required := len(args) - len(n.defaults)
	for i, given := range args {
		switch {
		case given != nil:
		case i < required:
			throw(typeType, "%s() misses the argument '%s'", n.name, n.params[i])
		default:
			args[i] = n.defaults[i-required]
		}
	}
	return n.fn(rt, args)
}

// wantStr converts an argument that must be a string.
func wantStr(v Value) *Str {
	s, ok := v.(*Str)
	if !ok {
		mustDefined(v)
		throw(typeType, "a string is wanted, not %s", v.typeName())
	}
	return s
}
