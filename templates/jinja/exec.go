package jinja

// control says how a statement ended.
type control uint8

const (
	proceed control = iota
	breakLoop
	continueLoop
)

// run executes statements up to a loop control.
func (f *frame) run(list []stmt) control {
	for _, s := range list {
		if c := s.exec(f); c != proceed {
			return c
		}
	}
	return proceed
}

func (s *outputStmt) exec(f *frame) control {
	for _, it := range s.items {
		it.exec(f)
	}
	return proceed
}

func (s *dataStmt) exec(f *frame) control {
	f.rt.room(len(s.text))
	f.rt.out.write(s.text, Trusted)
	return proceed
}

func (s *printStmt) exec(f *frame) control {
	rt := f.rt
	if s.mode == escapeOff || s.mode == escapeAsked && !rt.autoescape {
		f.emit(s.value)
	} else {
		rt.print(rt.escape(s.value.eval(f)))
	}
	return proceed
}

// emit writes the result of a call or filter block, which Jinja2 does not convert to text.
func (rt *runtime) emit(v Value) {
	s, ok := v.(*Str)
	if !ok {
		throw(typeType, "sequence item 0: expected str instance, %s found", v.typeName())
	}
	rt.print(s)
}

func (s *ifStmt) exec(f *frame) control {
	_, body := s.branch(f)
	return f.run(body)
}

// branch returns what is to be run, and the number of the test that held; one more than there are if none did.
func (s *ifStmt) branch(f *frame) (int, []stmt) {
	f.rt.spend(1)
	if f.holds(s.test) {
		return 0, s.body
	}
	for i, e := range s.elifs {
		if f.holds(e.test) {
			return i + 1, e.body
		}
	}
	return len(s.elifs) + 1, s.other
}

func (s *withStmt) exec(f *frame) control {
	f.enter(s.enter)
	for i, v := range s.values {
		f.assign(&s.assign[i], v.eval(f))
	}
	return f.run(s.body)
}

func (s *macroStmt) exec(f *frame) control {
	f.rt.spend(1)
	m := &macro{def: &s.macroDef, home: f}
	t := target{place: s.where, export: s.export}
	f.assign(&t, m)
	return proceed
}

func (s *callStmt) exec(f *frame) control {
	rt := f.rt
	rt.spend(1)
	caller := &macro{def: &s.macroDef, home: f}
	if s.generation {
		rt.emit(caller.call(rt, &callArgs{}))
		return proceed
	}
	v := s.call.invoke(f, caller)
	rt.emit(v)
	return proceed
}

func (s *filterStmt) exec(f *frame) control {
	f.enter(s.enter)
	body, c := f.rt.capture(func() control { return f.run(s.body) })
	if c != proceed {
		return c
	}
	f.rt.emit(s.filter.over(f, f.rt.markIfEscaping(body)))
	return proceed
}

func (s *setStmt) exec(f *frame) control {
	f.rt.spend(1)
	f.rt.pos = s.at
	if s.assign.tuple || s.assign.attr != nil {
		f.checkSpaces(&s.assign)
	}
	v := s.value.eval(f)
	if s.assign.tuple {
		f.rt.pos = s.at
	}
	f.assign(&s.assign, v)
	return proceed
}

func (s *setBlockStmt) exec(f *frame) control {
	rt := f.rt
	f.enter(s.enter)
	body, c := rt.capture(func() control { return f.run(s.body) })
	if c != proceed {
		return c
	}
	var v Value = rt.markIfEscaping(body)
	if s.filter != nil {
		v = s.filter.over(f, rt.markIfEscaping(body))
		if rt.autoescape {
			v = markupOf(rt.str(v))
		}
	}
	rt.pos = s.at
	f.checkItems(&s.assign)
	f.assign(&s.assign, v)
	return proceed
}

func (s *blockStmt) exec(f *frame) control {
	rt := f.rt
	rt.pos = s.at
	if s.required {
		throw(typeTemplate, "Required block %s not found", reprText(s.name))
	}
	ctx := f.ctx
	if s.scoped {
		ctx = &context{locals: map[int]Value{}, parent: ctx}
		for _, l := range s.locals {
			if v := f.get(l.where); v != nil {
				ctx.locals[l.name] = v
			}
		}
	}
	s.render(rt, ctx)
	return proceed
}

// render runs the block's function, writing to the current output.
func (s *blockStmt) render(rt *runtime, ctx *context) {
	rt.enterCall()
	defer rt.leaveCall()
	f := rt.newFrame(s.fn, nil, ctx)
	if s.self >= 0 {
		f.slots[s.self] = &selfRef{ctx}
	}
	if s.super >= 0 {
		f.slots[s.super] = noParent(s.name)
	}
	f.enter(s.enter)
	f.run(s.body)
}

func noParent(name string) Value {
	return because("there is no parent block called " + reprText(name) + ".")
}

func (s *loadStmt) exec(f *frame) control {
	v := s.template.eval(f)
	f.rt.pos = s.at
	if seq, ok := items(v); ok && len(seq) == 0 && s.tag == "include" {
		if s.ignoreMissing {
			return proceed
		}
		throw("TemplatesNotFound", "Tried to select from an empty list of templates.")
	}
	throw(typeType, "no loader for this environment specified")
	return proceed
}

func (s *escapeStmt) exec(f *frame) control {
	rt := f.rt
	f.enter(s.enter)
	outer := rt.autoescape
	rt.autoescape = rt.truth(s.value.eval(f))
	c := f.run(s.body)
	rt.autoescape = outer
	return c
}

func (s *loopControl) exec(f *frame) control {
	f.rt.spend(1)
	return s.control
}
