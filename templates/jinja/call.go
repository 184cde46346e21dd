package jinja

import (
	"fmt"
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
	if len(a.pos)+len(a.named) == 0 && a.star == nil && a.dstar == nil {
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
	if a.star != nil {
		v := a.star.eval(f)
		if !iterable(v) {
			throw(typeType, "Value after * must be an iterable, not %s", v.typeName())
		}
		out.pos = append(out.pos, f.rt.list(v)...)
	}
	if a.dstar != nil {
		out.addMapping(f.rt, a.dstar.eval(f))
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

// callName is how messages name the call of a template, which goes through the sandbox.
const callName = "jinja2.sandbox.SandboxedEnvironment.call() "

// addMapping adds the keywords of **v.
func (a *callArgs) addMapping(rt *runtime, v Value) {
	d, ok := v.(*Dict)
	if !ok {
		throw(typeType, callName+"argument after ** must be a mapping, not %s", v.typeName())
	}
	for _, e := range d.entries {
		k, ok := e.key.(*Str)
		if !ok {
			throw(typeType, "keywords must be strings")
		}
		rt.spend(1 + len(a.kw))
		if slices.ContainsFunc(a.kw, func(other keyword) bool { return other.name.text == k.text }) {
			throw(typeType, callName+"got multiple values for keyword argument %s", reprText(k.text))
		}
		a.kw = append(a.kw, keyword{k, e.value})
	}
}

// signature is what a built-in function takes.
type signature struct {
	name     string
	params   []string
	defaults []Value // of the last parameters
	hidden   int     // arguments that Jinja2 adds in front and counts in messages
	native   string  // the type of which it is a method written in C, whose messages differ
	search   bool    // a native method that takes a range, whose messages differ again
	keywords bool    // a native method takes its arguments by name, too
}

// bind returns a call's arguments in the order of the parameters.
func (s signature) bind(a *callArgs) []Value {
	if s.native != "" {
		s.checkNative(a)
	}
	out := make([]Value, len(s.params))
	if len(a.pos) > len(s.params) {
		throw(typeType, "%s", s.tooMany(len(a.pos)))
	}
	copy(out, a.pos)
	for _, k := range a.kw {
		i := indexOf(s.params, k.name.text)
		if i < 0 {
			throw(typeType, "%s() got an unexpected keyword argument %s", s.name, reprText(k.name.text))
		}
		if out[i] != nil {
			throw(typeType, "%s() got multiple values for argument %s", s.name, reprText(k.name.text))
		}
		out[i] = k.value
	}
	required := len(s.params) - len(s.defaults)
	var missing []string
	for i := range out {
		switch {
		case out[i] != nil:
		case i >= required:
			out[i] = s.defaults[i-required]
		default:
			missing = append(missing, reprText(s.params[i]))
		}
	}
	if len(missing) > 0 {
		throw(typeType, "%s() missing %d required positional argument%s: %s", s.name, len(missing), plural(len(missing)), enumerate(missing))
	}
	return out
}

// checkNative refuses wrong arguments in the words of CPython's own methods.
func (s signature) checkNative(a *callArgs) {
	most, least, given := len(s.params), len(s.params)-len(s.defaults), len(a.pos)
	switch {
	case s.keywords && given > most:
		throw(typeType, "%s() takes at most %d argument%s (%d given)", s.name, most, plural(most), given)
	case s.keywords && given < least, s.search && given < least:
		throw(typeType, "%s() takes at least %d argument%s (%d given)", s.name, least, plural(least), given)
	case s.search && given > most:
		throw(typeType, "%s() takes at most %d argument%s (%d given)", s.name, most, plural(most), given)
	case s.keywords:
	case len(a.kw) > 0:
		throw(typeType, "%s.%s() takes no keyword arguments", s.native, s.name)
	case most == 0 && given > 0:
		throw(typeType, "%s.%s() takes no arguments (%d given)", s.native, s.name, given)
	case most == 1 && least == 1 && given != 1:
		throw(typeType, "%s.%s() takes exactly one argument (%d given)", s.native, s.name, given)
	case most == least && given != most:
		throw(typeType, "%s expected %d arguments, got %d", s.name, most, given)
	case given < least:
		throw(typeType, "%s expected at least %d argument%s, got %d", s.name, least, plural(least), given)
	case given > most:
		throw(typeType, "%s expected at most %d argument%s, got %d", s.name, most, plural(most), given)
	}
}

func (s signature) tooMany(given int) string {
	most, given := len(s.params)+s.hidden, given+s.hidden
	takes := fmt.Sprintf("%d positional argument%s", most, plural(most))
	if len(s.defaults) > 0 {
		takes = fmt.Sprintf("from %d to %d positional arguments", most-len(s.defaults), most)
	}
	was := "were"
	if given == 1 {
		was = "was"
	}
	return fmt.Sprintf("%s() takes %s but %d %s given", s.name, takes, given, was)
}

func indexOf(list []string, s string) int {
	for i, it := range list {
		if it == s {
			return i
		}
	}
	return -1
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func enumerate(names []string) string {
	switch n := len(names); n {
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return strings.Join(names[:n-1], ", ") + ", and " + names[n-1]
	}
}

// wantInt converts an argument that must be an integer.
func wantInt(v Value) int {
	mustDefinedInt(v)
	n, ok := asInt(v)
	if !ok {
		if _, big := v.(bigInt); big {
			throw(typeOverflow, "Python int too large to convert to C ssize_t")
		}
		throw(typeType, "'%s' object cannot be interpreted as an integer", v.typeName())
	}
	return int(n)
}

// wantCInt is wantInt where C's int has to hold it.
func wantCInt(v Value) int {
	if n, small := asInt(v); isInt(v) && (!small || n != int64(int32(n))) {
		throw(typeOverflow, "Python int too large to convert to C int")
	}
	return wantInt(v)
}

// mustDefinedInt refuses undefined as Python does where it looks for __index__.
func mustDefinedInt(v Value) {
	if _, ok := v.(*undefined); ok {
		throw(typeType, "'Undefined' object cannot be interpreted as an integer")
	}
}

// nameOrNone is a type's name in the messages of CPython's argument parser.
func nameOrNone(v Value) string {
	if v == None {
		return "None"
	}
	return v.typeName()
}

// wantStr converts an argument of a string method that must be a string.
func wantStr(v Value, what string) *Str {
	s, ok := v.(*Str)
	if !ok {
		if what == "" {
			throw(typeType, "must be str, not %s", v.typeName())
		}
		throw(typeType, "%s must be str, not %s", what, nameOrNone(v))
	}
	return s
}
