package jinja

// callable is a value that templates can call.
type callable interface {
	Value
	call(rt *runtime, a *callArgs) Value
}

type (
	// builtin is a function or bound method of this package's own.
	builtin struct {
		name string
		fn   func(rt *runtime, a *callArgs) Value
	}
	// namespace is the one value that templates change.
	namespace struct{ attrs *Dict }
	macro     struct {
		def  *macroStmt
		home *frame // where it was defined
	}
)

func (*namespace) typeName() string { return "Namespace" }
func (*macro) typeName() string     { return "Macro" }
func (*builtin) typeName() string   { return "function" }

func (b *builtin) call(rt *runtime, a *callArgs) Value { return b.fn(rt, a) }

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
	rt.releaseArgs(a)
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
	if d.kwargs >= 0 {
		dict := NewDict()
		for _, k := range kw {
			dict.put(k.name, k.value)
		}
		f.slots[d.kwargs] = dict
	} else if len(kw) > 0 {
		throw(typeType, "macro '%s' takes no keyword argument '%s'", d.name, kw[0].name.text)
	}
	if len(a.pos) > n {
		throw(typeType, "macro '%s' takes not more than %d argument(s)", d.name, len(d.params))
	}
}

// missing is the value of a parameter that was not given.
func (m *macro) missing(f *frame, i int) Value {
	d := m.def
	if j := i - (len(d.args) - len(d.defaults)); j >= 0 {
		return d.defaults[j].eval(f)
	}
	return &undefined{name: trusted(d.args[i].name)}
}
