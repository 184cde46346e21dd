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
	f.emit(s.value)
	return proceed
}

func (s *ifStmt) exec(f *frame) control {
	_, body := s.branch(f)
	return f.run(body)
}

// branch returns what is to be run, and the number of the test that held; one more than there are
// if none did.
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

func (s *macroStmt) exec(f *frame) control {
	f.rt.spend(1)
	m := &macro{def: s, home: f}
	t := target{place: s.where, export: s.export}
	f.assign(&t, m)
	return proceed
}

func (s *generationStmt) exec(f *frame) control {
	f.rt.spend(1)
	f.enter(s.enter)
	return f.run(s.body)
}

func (s *filterStmt) exec(f *frame) control {
	v, c := f.filtered(s.enter, s.body, s.filter)
	if c == proceed {
		f.rt.print(wantStr(v)) // Jinja2 does not convert it
	}
	return c
}

// filtered is what a block's body writes, through a filter if there is one.
func (f *frame) filtered(enter entering, list []stmt, filter *filterExpr) (Value, control) {
	f.enter(enter)
	body, c := f.rt.capture(func() control { return f.run(list) })
	if c != proceed || filter == nil {
		return body, c
	}
	return filter.over(f, body), c
}

func (s *setStmt) exec(f *frame) control {
	f.rt.spend(1)
	f.rt.pos = s.at
	v := s.value.eval(f)
	if s.assign.tuple {
		f.rt.pos = s.at
	}
	f.assign(&s.assign, v)
	return proceed
}

func (s *setBlockStmt) exec(f *frame) control {
	v, c := f.filtered(s.enter, s.body, s.filter)
	if c == proceed {
		f.rt.pos = s.at
		f.assign(&s.assign, v)
	}
	return c
}

func (s *loopControl) exec(f *frame) control {
	f.rt.spend(1)
	return s.control
}
