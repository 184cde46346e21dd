package jinja

import "sync"

// Memo keeps what a template made of values that stay the same from one rendering to the next, as
// declared tools do: the results of tojson, and of macros that depend on nothing but their
// arguments (see closure). Any number of goroutines may use it.
type Memo struct {
	stays map[Value]bool // dicts and lists, by identity

	mu    sync.Mutex // protects what follows
	texts map[memoKey]*Str
	size  int // bytes
}

// maxMemo bounds the bytes and, at a kilobyte each, the number of kept texts: a hostile template
// may ask for any number.
const maxMemo = 1 << 20

// NewMemo makes a memo for v and everything in it. What is given to Render must hold v itself, not
// a copy.
func NewMemo(v Value) *Memo {
	m := &Memo{stays: map[Value]bool{}, texts: map[memoKey]*Str{}}
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

// memoText is a short text as an argument.
type memoText struct {
	text   string
	origin Origin
	markup bool
}

const maxMemoText = 64

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
			k.args[n-1] = memoText{v.text, v.origin, v.markup}
			return v.runs == nil && len(v.text) <= maxMemoText
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

func (m *Memo) get(k memoKey) *Str {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.texts[k]
}

func (m *Memo) put(k memoKey, s *Str) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size += 1024 + len(s.text); m.size <= maxMemo {
		m.texts[k] = s
	}
}

// remember returns what make makes, from the memo if it was made before. While it is made nothing
// else is kept: who asks for the whole again does not ask for its parts.
func (rt *runtime) remember(what any, pos []Value, kw []keyword, make func() *Str) (*Str, bool) {
	m := rt.memo
	if m == nil {
		return nil, false
	}
	k, ok := m.key(what, pos, kw)
	if !ok {
		return nil, false
	}
	s := m.get(k)
	if s == nil {
		rt.memo = nil
		s = make()
		rt.memo = m
		m.put(k, s)
	}
	return s, true
}
