package jinja

import (
	"time"
)

// runtime is the state of one rendering.
type runtime struct {
	now    time.Time
	limits Limits
	steps  int // left
	look   int // how many are left when stop is asked next
	depth  int // of calls
	calls  int // the most calls that the stack is sure to hold
	pos    at  // of what is being evaluated, for errors

	out    *textBuilder
	free   []*textBuilder
	frames []*frame    // to be used again
	args   []*callArgs // to be used again
	memo   *Memo       // nil: nothing is kept
	reads  *reads      // of the macro whose result is made to be kept

	stop    func() error // as in Options
	stopped error        // what it said, which is the rendering's error
}

// frame is a running function's variables.
type frame struct {
	slots []Value // nil: missing
	up    *frame  // of the enclosing function
	rt    *runtime
	ctx   *context
}

// context is where names are resolved that no scope assigns: what the template's top level set,
// else what the caller gave, else the globals. Names are the numbers that the resolver gave them.
type context struct {
	names []Value // nil: not there
}

// rootContext looks every name of the template up once.
func (t *Template) rootContext(vars *Dict) *context {
	c := &context{names: make([]Value, len(t.names))}
	for i, name := range t.names {
		if v, ok := vars.Get(name); ok {
			c.names[i] = v
		} else if g, ok := globals[name]; ok {
			c.names[i] = g
		}
	}
	return c
}

// spend counts n steps.
func (rt *runtime) spend(n int) {
	if rt.steps -= n; rt.steps < rt.look {
		rt.goOn()
	}
}

// stepsBetween is how many steps are made between two questions whether to stop: a millisecond's.
const stepsBetween = 20_000

// goOn throws where no steps are left, or the rendering is to stop.
func (rt *runtime) goOn() {
	if rt.steps < 0 {
		throw(typeLimit, "more than %d steps", rt.limits.Steps)
	}
	rt.look = max(rt.steps-stepsBetween, 0)
	if rt.stopped = rt.stop(); rt.stopped != nil {
		throw(typeStopped, "%s", rt.stopped)
	}
}

// bytesPerStep is how much text counts as one step, itemSteps how many steps an item of a list is
// and entrySteps an entry of a dict: what is kept takes memory, which a step does not.
const (
	bytesPerStep = 8
	itemSteps    = 4
	entrySteps   = 24
)

// make counts a string of n bytes that is about to be made.
func (rt *runtime) make(n int) {
	rt.fits(n)
	rt.spend(1 + n/bytesPerStep)
}

// fits makes sure that n bytes may be made, without counting them.
func (rt *runtime) fits(n int) {
	if n > rt.limits.Output || n < 0 {
		throw(typeLimit, "a text of more than %d bytes", rt.limits.Output)
	}
}

// scan counts looking at the whole of a text.
func (rt *runtime) scan(v Value) {
	if s, ok := v.(*Str); ok {
		rt.spend(len(s.text) / bytesPerStep)
	}
}

// letters counts looking at every letter of a text, or writing it anew, which takes some times as
// long as copying it.
func (rt *runtime) letters(s *Str) { rt.spend(len(s.text) / 4) }

// room makes sure that n more bytes fit into the current output.
func (rt *runtime) room(n int) {
	if len(rt.out.buf)+n > rt.limits.Output {
		throw(typeLimit, "output of more than %d bytes", rt.limits.Output)
	}
	rt.spend(1 + n/bytesPerStep)
}

// enterCall counts a nested call; the caller calls leaveCall after it.
func (rt *runtime) enterCall() {
	if rt.depth++; rt.depth > rt.limits.Depth || rt.depth > rt.calls {
		throw(typeRecursion, "calls nested deeper than %d", min(rt.limits.Depth, rt.calls))
	}
}

func (rt *runtime) leaveCall() { rt.depth-- }

// newFrame makes the frame of a function that runs inside up.
func (rt *runtime) newFrame(fn *function, up *frame, ctx *context) *frame {
	rt.spend(fn.slots)
	n := len(rt.frames)
	if n == 0 || cap(rt.frames[n-1].slots) < fn.slots {
		return &frame{slots: make([]Value, fn.slots), up: up, rt: rt, ctx: ctx}
	}
	f := rt.frames[n-1]
	rt.frames = rt.frames[:n-1]
	*f = frame{slots: f.slots[:fn.slots], up: up, rt: rt, ctx: ctx}
	return f
}

// release takes back the frame of a function that has ended, unless something may still refer to
// it.
func (rt *runtime) release(f *frame, fn *function) {
	if !fn.kept {
		clear(f.slots)
		rt.frames = append(rt.frames, f)
	}
}

// capture runs f with an output of its own and returns what it wrote; nil if f met a loop control.
func (rt *runtime) capture(f func() control) (*Str, control) {
	var b *textBuilder
	if n := len(rt.free); n > 0 {
		b, rt.free = rt.free[n-1], rt.free[:n-1]
	} else {
		b = &textBuilder{}
	}
	outer := rt.out
	rt.out = b
	c := f()
	rt.out = outer
	var s *Str
	if c == proceed {
		s = b.str()
	}
	b.reset()
	rt.free = append(rt.free, b)
	return s, c
}

// enter prepares a scope's variables.
func (f *frame) enter(ops entering) {
	f.rt.spend(len(ops))
	for i := range ops {
		op := &ops[i]
		switch op.kind {
		case loadResolve:
			v := f.ctx.names[op.name]
			if r := f.rt.reads; r != nil {
				r.note(&r.names, op.name, v)
			}
			f.slots[op.to] = v
		case loadAlias:
			f.slots[op.to] = f.copied(op.from)
		default:
			f.slots[op.to] = nil
		}
	}
}

func (f *frame) get(p place) Value {
	for ; p.hops > 0; p.hops-- {
		f = f.up
	}
	v := f.slots[p.index]
	if r := f.rt.reads; r != nil && f.up == nil {
		r.note(&r.slots, p.index, v)
	}
	if b, ok := v.(borrowed); ok {
		if f.rt.reads != nil { // it depends on more than can be noted
			f.rt.reads.open = true
		}
		return b.Value
	}
	return v
}

// assign stores v in a target.
func (f *frame) assign(t *target, v Value) {
	switch {
	case t.tuple:
		f.unpack(t, v)
	case t.attr != nil:
		ns, ok := f.get(t.place).(*namespace)
		if !ok {
			throw(typeTemplate, "cannot assign attribute on non-namespace object")
		}
		ns.attrs.put(t.attr, v)
	default:
		in := f
		for range t.hops {
			in = in.up
		}
		in.slots[t.index] = v
		if t.export != 0 {
			f.ctx.names[t.export] = v
		}
	}
}

// unpack assigns the items of an iterable to the parts of a tuple.
func (f *frame) unpack(t *target, v Value) {
	want := len(t.parts)
	if !iterable(v) {
		throw(typeType, "cannot unpack non-iterable %s object", v.typeName())
	}
	parts := f.rt.items(v)
	if len(parts) != want {
		wrongCount(want, len(parts))
	}
	for i := range t.parts {
		f.assign(&t.parts[i], parts[i])
	}
}

// wrongCount fails because so many values cannot be unpacked.
func wrongCount(want, got int) {
	throw(typeValue, "%d values are to be unpacked, not %d", want, got)
}
