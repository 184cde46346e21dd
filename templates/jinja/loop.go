package jinja

func (s *forStmt) exec(f *frame) control {
	rt := f.rt
	rt.spend(1)
	v := s.iter.eval(f)
	rt.pos = s.at
	return s.loopOver(f, v)
}

// loopOver runs the loop's body for every item of v.
func (s *forStmt) loopOver(f *frame, v Value) control {
	rt := f.rt
	it := rt.iterate(v)
	if s.test != nil {
		it = s.filtered(f, it)
		v = &generator{iterator: it}
	}
	var loop *loopValue
	if s.loop >= 0 {
		loop = &loopValue{rt: rt, source: v, it: it, index0: -1}
		f.slots[s.loop] = loop
		it = iterator{more: loop.advance}
	}
	finished := false // once an iteration ran to its end, else is not for us
	mayIdle := s.sole != nil && unread(v)
	for idle := false; !idle; {
		item, ok := it.next()
		if !ok {
			break
		}
		rt.spend(1)
		f.assign(&s.bodyTarget, item)
		f.enter(s.enter)
		var c control
		if mayIdle {
			c, idle = s.idles(f)
		} else {
			c = f.run(s.body)
		}
		if c == breakLoop {
			break
		}
		finished = finished || c == proceed
	}
	if finished || s.other == nil {
		return proceed
	}
	f.enter(s.enterElse)
	return f.run(s.other)
}

// filtered leaves out the items that fail the loop's test.
func (s *forStmt) filtered(f *frame, it iterator) iterator {
	f.enter(s.enterTest)
	rt := f.rt
	return iterator{more: func() (Value, bool) {
		for {
			item, ok := it.next()
			if !ok {
				return nil, false
			}
			rt.spend(1)
			f.assign(&s.testTarget, item)
			if truthy(s.test.eval(f)) {
				return item, true
			}
		}
	}}
}

// loopValue is the variable loop.
type loopValue struct {
	rt      *runtime
	source  Value
	it      iterator
	index0  int
	length  int // once known, else 0 with counted false
	counted bool
	after   Value // an item looked ahead at
	ahead   bool
	ended   bool // the lookahead met the end
	before  Value
	current Value
}

func (*loopValue) typeName() string { return "LoopContext" }

// advance moves to the next item.
func (l *loopValue) advance() (Value, bool) {
	var v Value
	if l.ahead {
		v, l.ahead, l.after = l.after, false, nil
	} else {
		var ok bool
		if v, ok = l.it.next(); !ok {
			return nil, false
		}
	}
	l.index0++
	l.before, l.current = l.current, v
	return v, true
}

// peek looks at the next item.
func (l *loopValue) peek() (Value, bool) {
	if !l.ahead && !l.ended {
		l.after, l.ahead = l.it.next()
		l.ended = !l.ahead
	}
	return l.after, l.ahead
}

// count returns the number of items; those of a generator are read to find out.
func (l *loopValue) count() int {
	if l.counted {
		return l.length
	}
	if n, ok := length(l.source); ok {
		l.length = n
	} else {
		rest := l.rt.drain(l.it)
		l.it = iterator{list: rest}
		l.length = len(rest) + l.index0 + 1
		if l.ahead {
			l.length++
		}
	}
	l.counted = true
	return l.length
}

// attr returns an attribute of loop, or nil.
func (l *loopValue) attr(name string) Value {
	switch name {
	case "index":
		return Int(l.index0 + 1)
	case "index0":
		return Int(l.index0)
	case "first":
		return Bool(l.index0 == 0)
	case "last":
		_, more := l.peek()
		return Bool(!more)
	case "length":
		return Int(l.count())
	case "revindex":
		return Int(l.count() - l.index0)
	case "revindex0":
		return Int(l.count() - l.index0 - 1)
	case "depth":
		return Int(1)
	case "depth0":
		return Int(0)
	case "previtem":
		if l.index0 == 0 {
			return &undefined{hint: "there is no previous item"}
		}
		return l.before
	case "nextitem":
		if v, ok := l.peek(); ok {
			return v
		}
		return &undefined{hint: "there is no next item"}
	}
	return nil
}
