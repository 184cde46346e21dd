package jinja

import "strings"

// callable is a value that templates can call.
type callable interface {
	Value
	call(rt *runtime, a *callArgs) Value
}

type (
	// builtin is a function or bound method of this package's own.
	builtin struct {
		name string
		of   string // the type of which it is a method that Python has in C, else ""
		fn   func(rt *runtime, a *callArgs) Value
	}
	// classValue is a builtin that Python has as a type: range, dict, namespace.
	classValue struct{ builtin }
	// namespace is the one value that templates change.
	namespace struct{ attrs *Dict }
	// generator yields its items once; what filters such as map return.
	generator struct {
		name string
		iterator
		depth int // of generators that read from one another
	}
	// rangeValue is range(start, stop, step) of n items.
	rangeValue struct {
		start, stop, step int64
		n                 int
	}
	// dictView is dict.keys(), values() or items().
	dictView struct {
		kind string
		dict *Dict
	}
	// groupTuple is an item of groupby: a pair with names.
	groupTuple struct{ Tuple }
	// cycler is a cycler object.
	cycler struct {
		items []Value
		pos   int
	}
	// joiner is a joiner object.
	joiner struct {
		sep  Value
		used bool
	}
)

func (*classValue) typeName() string { return "type" }
func (*namespace) typeName() string  { return "Namespace" }
func (g *generator) typeName() string {
	name, _, _ := strings.Cut(g.name, " ")
	return name
}
func (*rangeValue) typeName() string { return "range" }
func (v *dictView) typeName() string { return "dict_" + v.kind }
func (*groupTuple) typeName() string { return "_GroupTuple" }
func (*cycler) typeName() string     { return "Cycler" }
func (*joiner) typeName() string     { return "Joiner" }
func (*macro) typeName() string      { return "Macro" }

func (b *builtin) typeName() string {
	if b.of != "" {
		return "builtin_function_or_method"
	}
	return "function"
}

// modules names where Jinja2 defines the types that are not Python's own.
var modules = map[string]string{
	"Namespace": "jinja2.utils.", "Cycler": "jinja2.utils.", "Joiner": "jinja2.utils.",
	"Macro": "jinja2.runtime.", "LoopContext": "jinja2.runtime.", "TemplateReference": "jinja2.runtime.",
	"BlockReference": "jinja2.runtime.", "_GroupTuple": "jinja2.filters.", "Markup": "markupsafe.",
}

// fail raises what using an undefined value raises.
func (u *undefined) fail() {
	typ := typeUndefined
	if u.why != nil && u.why.typ != "" {
		typ = u.why.typ
	}
	throw(typ, "%s", u.message())
}

func (u *undefined) message() string {
	why := u.why
	if why == nil {
		why = &reason{}
	}
	if why.hint != "" {
		return why.hint
	}
	if why.cond != nil {
		line, _ := why.src.lineCol(why.cond.position())
		return "the inline if-expression on line " + Int(line).text() + " evaluated to false and no else section was defined."
	}
	name := plainRepr(u.name)
	if why.param {
		return "parameter " + name + " was not provided"
	}
	if u.owner == nil {
		return name + " is undefined"
	}
	owner := "None"
	if u.owner != None {
		owner = modules[u.owner.typeName()] + u.owner.typeName() + " object"
	}
	if _, ok := u.name.(*Str); ok {
		return reprText(owner) + " has no attribute " + name
	}
	return owner + " has no element " + name
}

// mustDefined fails if v is undefined.
func mustDefined(v Value) {
	if u, ok := v.(*undefined); ok {
		u.fail()
	}
}

func (b *builtin) call(rt *runtime, a *callArgs) Value { return b.fn(rt, a) }

func (j *joiner) call(_ *runtime, a *callArgs) Value {
	signature{name: "Joiner.__call__"}.bind(a)
	if j.used {
		return j.sep
	}
	j.used = true
	return emptyStr
}

func (c *cycler) next(*runtime, *callArgs) Value {
	v := c.items[c.pos]
	c.pos = (c.pos + 1) % len(c.items)
	return v
}

func (c *cycler) reset(*runtime, *callArgs) Value {
	c.pos = 0
	return None
}

// macro is a macro or the caller of a call block.
type macro struct {
	def  *macroDef
	home *frame // where it was defined
}

func (m *macro) call(rt *runtime, a *callArgs) Value {
	if s, ok := m.remembered(rt, a); ok {
		return s
	}
	return m.text(rt, a)
}

// print writes the macro's result to the current output.
func (m *macro) print(rt *runtime, a *callArgs) {
	if s, ok := m.remembered(rt, a); ok {
		rt.print(s)
		return
	}
	m.run(rt, a)
}

// remembered is the macro's result where it can be kept.
func (m *macro) remembered(rt *runtime, a *callArgs) (*Str, bool) {
	if m.home.up != nil {
		return nil, false
	}
	return rt.remember(m.def, m.home, a, func() *Str { return m.text(rt, a) })
}

func (m *macro) text(rt *runtime, a *callArgs) *Str {
	out, _ := rt.capture(func() control { m.run(rt, a); return proceed })
	return out
}

// run is print, anew each time. Nothing is undone where it fails: that ends the rendering.
func (m *macro) run(rt *runtime, a *callArgs) {
	rt.enterCall()
	pos := rt.pos
	f := rt.newFrame(m.def.fn, m.home, m.home.ctx)
	m.bind(f, a)
	if m.def.varargs < 0 {
		rt.releaseArgs(a)
	}
	f.enter(m.def.enter)
	for i, p := range m.def.params {
		if f.slots[p] == nil {
			f.slots[p] = m.missing(f, i)
		}
	}
	f.run(m.def.body)
	rt.pos = pos
	rt.release(f, m.def.fn)
	rt.leaveCall()
}

// bind puts a call's arguments into the slots of a new frame.
func (m *macro) bind(f *frame, a *callArgs) {
	d := m.def
	n := min(len(a.pos), len(d.params))
	f.rt.spend(saturate(int64(len(d.params)), int64(len(a.kw))))
	for i := range n {
		f.slots[d.params[i]] = a.pos[i]
	}
	kw := a.kw
	for i := n; i < len(d.params) && len(kw) > 0; i++ {
		if v, rest, ok := takeKeyword(kw, d.args[i].name); ok {
			f.slots[d.params[i]], kw = v, rest
		}
	}
	if d.caller >= 0 {
		v, rest, _ := takeKeyword(kw, "caller")
		if kw = rest; v == nil || v == None {
			v = because("No caller defined")
		}
		f.slots[d.caller] = v
	}
	m.bindRest(f, a.pos[n:], kw)
}

// bindRest puts what no parameter takes into kwargs and varargs, or refuses it.
func (m *macro) bindRest(f *frame, pos []Value, kw []keyword) {
	d := m.def
	switch {
	case d.kwargs >= 0:
		dict := NewDict()
		for _, k := range kw {
			dict.put(k.name, k.value)
		}
		f.slots[d.kwargs] = dict
	case len(kw) > 0:
		for _, k := range kw {
			if k.name.text == "caller" {
				throw(typeType, "macro %s was invoked with two values for the special caller argument. This is most likely a bug.", d.shown())
			}
		}
		throw(typeType, "macro %s takes no keyword argument %s", d.shown(), reprText(kw[0].name.text))
	}
	if d.varargs >= 0 {
		f.slots[d.varargs] = NewTuple(pos...)
	} else if len(pos) > 0 {
		throw(typeType, "macro %s takes not more than %d argument(s)", d.shown(), len(d.params))
	}
}

// shown is the macro's name in messages.
func (d *macroDef) shown() string {
	if d.name == "" {
		return "None"
	}
	return reprText(d.name)
}

// missing is the value of a parameter that was not given.
func (m *macro) missing(f *frame, i int) Value {
	d := m.def
	if j := i - (len(d.args) - len(d.defaults)); j >= 0 {
		return d.defaults[j].eval(f)
	}
	return &undefined{name: trusted(d.args[i].name), why: &reason{param: true}}
}

func (m *macro) attr(name string) Value {
	d := m.def
	switch name {
	case "name":
		if d.name == "" {
			return None
		}
		return trusted(d.name)
	case "arguments":
		var names []Value
		for _, a := range d.args {
			names = append(names, trusted(a.name))
		}
		return NewTuple(names...)
	case "catch_kwargs":
		return Bool(d.kwargs >= 0)
	case "catch_varargs":
		return Bool(d.varargs >= 0)
	case "caller":
		return Bool(d.usesCaller)
	case "explicit_caller":
		return Bool(d.explicitCaller)
	}
	return nil
}

// address is what templates see where Python shows where an object lives.
const address = " at 0x7f0000000000>"

// describe is the text of a value that prints as an object, or "".
func describe(v Value) string {
	switch v := v.(type) {
	case *macro:
		if v.def.name == "" {
			return "<Macro anonymous>"
		}
		return "<Macro " + reprText(v.def.name) + ">"
	case *generator:
		return "<" + v.name + address
	case *builtin:
		if v.of != "" {
			return "<built-in method " + v.name + " of " + v.of + " object" + address
		}
		return "<function " + v.name + address
	case *classValue:
		return "<class '" + v.name + "'>"
	case *cycler, *joiner:
		return "<" + modules[v.typeName()] + v.typeName() + " object" + address
	}
	return ""
}

// dunder reports the names of Python's own attributes of a value, which the sandbox refuses.
func dunder(v Value, name string) bool {
	if !strings.HasPrefix(name, "__") || !strings.HasSuffix(name, "__") {
		return false
	}
	return strings.Contains(objectAttrs, " "+name+" ") || strings.Contains(typeAttrs[v.typeName()], " "+name+" ")
}

// typeAttrs are the other attributes of a type's objects, as far as templates try them: those of
// containers.
var typeAttrs = map[string]string{
	"str":   " __add__ __contains__ __getitem__ __getnewargs__ __iter__ __len__ __mod__ __mul__ __rmod__ __rmul__ ",
	"list":  " __add__ __class_getitem__ __contains__ __delitem__ __getitem__ __iadd__ __imul__ __iter__ __len__ __mul__ __reversed__ __rmul__ __setitem__ ",
	"tuple": " __add__ __class_getitem__ __contains__ __getitem__ __getnewargs__ __iter__ __len__ __mul__ __rmul__ ",
	"dict":  " __class_getitem__ __contains__ __delitem__ __getitem__ __ior__ __iter__ __len__ __or__ __reversed__ __ror__ __setitem__ ",
	"range": " __bool__ __contains__ __getitem__ __iter__ __len__ __reversed__ ",
}

// objectAttrs are the attributes that every Python object has.
const objectAttrs = " __class__ __delattr__ __dir__ __doc__ __eq__ __format__ __ge__ __getattribute__ __getstate__ __gt__ __hash__ " +
	"__init__ __init_subclass__ __le__ __lt__ __ne__ __new__ __reduce__ __reduce_ex__ __repr__ __setattr__ __sizeof__ __str__ __subclasshook__ "
