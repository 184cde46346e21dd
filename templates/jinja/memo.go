package jinja

import "sync"

// Memo keeps what a template made of values that stay the same from one rendering to the next, as
// declared tools do: the results of tojson, and of macros that depend on nothing but their
// arguments (see reads). Any number of goroutines may use it.
type Memo struct {
	stays map[Value]bool // dicts and lists, by identity

	mu    sync.Mutex // protects what follows
	texts map[memoKey]memoText
	size  int // bytes
}

// maxMemo bounds the bytes and, at a kilobyte each, the number of kept texts: a hostile template
// may ask for any number.
const maxMemo = 1 << 20

// NewMemo makes a memo for v and everything in it. What is given to Render must hold v itself, not
// a copy.
func NewMemo(v Value) *Memo {
	m := &Memo{stays: map[Value]bool{}, texts: map[memoKey]memoText{}}
	m.note(v)
	return m
}

func (m *Memo) note(v Value) {
	switch v := v.(type) {
	case *List:
		m.stays[v] = true
		for _, it := range v.items {
			m.note(it)
		}
	case *Dict:
		m.stays[v] = true
		for _, e := range v.entries {
			m.note(e.value)
		}
	}
}

// memoKey is a macro or filter with its arguments, each as something that is comparable and never
// changes.
type memoKey struct {
	what any
	args [6]any
}

// memoArg is a short text as an argument.
type memoArg struct {
	text   string
	origin Origin
}

const maxMemoArg = 64

// key returns the key of a call, if its result can be kept.
func (m *Memo) key(what any, pos []Value, kw []keyword) (k memoKey, ok bool) {
	if len(pos)+2*len(kw) > len(k.args) {
		return k, false
	}
	k.what = what
	n, staying := 0, false
	add := func(v Value) bool {
		k.args[n] = v
		n++
		switch v := v.(type) {
		case *Dict, *List:
			staying = staying || m.stays[v]
			return m.stays[v]
		case *Str:
			k.args[n-1] = memoArg{v.text, v.origin}
			return v.runs == nil && !v.markup && len(v.text) <= maxMemoArg
		case noneValue, Bool, Int:
			return true
		}
		return false
	}
	for _, v := range pos {
		if !add(v) {
			return k, false
		}
	}
	for _, a := range kw {
		k.args[n] = a.name.text
		if n++; !add(a.value) {
			return k, false
		}
	}
	return k, staying
}

// memoText is a result that is kept, with what it was made from besides the arguments.
type memoText struct {
	*Str
	reads
}

func (m *Memo) get(k memoKey) (t memoText, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok = m.texts[k]
	return t, ok
}

func (m *Memo) put(k memoKey, t memoText) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += 1024 + len(t.text); m.size <= maxMemo {
		m.texts[k] = t
	}
}

// remember returns what make makes of a call's arguments in a frame of the template's top level,
// from the memo if it was made before. While it is made nothing else is kept: who asks for the
// whole again does not ask for its parts.
func (rt *runtime) remember(what any, home *frame, a *callArgs, make func() *Str) (*Str, bool) {
	m := rt.memo
	if m == nil {
		return nil, false
	}
	k, ok := m.key(what, a.pos, a.kw)
	if !ok {
		return nil, false
	}
	if t, ok := m.get(k); ok && t.hold(home) {
		return t.Str, true
	}
	if _, open := m.get(memoKey{what: what}); open {
		return nil, false
	}
	t := memoText{}
	rt.memo, rt.reads = nil, &t.reads
	t.Str = make()
	rt.memo, rt.reads = m, nil
	if t.open {
		k = memoKey{what: what} // it is not tried again
	}
	m.put(k, t)
	return t.Str, true
}

// reads lists what a macro's result depended on besides its arguments: top-level variables and
// context names. open: something that may differ next time.
type reads struct {
	open         bool
	slots, names map[int]any // what they held: see lasting
}

// hold reports whether all of it is the same in this rendering.
func (r *reads) hold(home *frame) bool {
	same := func(read map[int]any, in []Value) bool {
		for i, held := range read {
			if now, ok := lasting(in[i]); !ok || now != held {
				return false
			}
		}
		return true
	}
	return home == nil || same(r.slots, home.slots) && same(r.names, home.ctx.names)
}

// lasting is what is the same from one rendering to the next where a value is: a macro's
// definition, a function that does the same whenever it is called, nil where there is no value.
func lasting(v Value) (held any, ok bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case *macro:
		return v.def, true
	case *builtin:
		return v, lastingGlobals()[v]
	}
	return nil, false
}

var lastingGlobals = sync.OnceValue(func() map[Value]bool {
	all := map[Value]bool{}
	for name, v := range globals {
		all[v] = name != "strftime_now"
	}
	return all
})

// note notes the reading of a value, by its number.
func (r *reads) note(read *map[int]any, i int, v Value) {
	held, ok := lasting(v)
	if r.open = r.open || !ok; *read == nil {
		*read = map[int]any{}
	}
	(*read)[i] = held
}

// borrowed is a variable's value that was copied from the top level's frame when a scope was
// entered. Only its reading counts: most variables are set first.
type borrowed struct{ Value }

// copied is what a variable begins with that copies another.
func (f *frame) copied(p place) Value {
	for ; p.hops > 0; p.hops-- {
		f = f.up
	}
	if f.rt.reads != nil && f.up == nil {
		return borrowed{f.slots[p.index]}
	}
	return f.slots[p.index]
}
