package machine

import (
	"errors"
	"slices"
)

// Event is one step of what a Reader has read: see grammar.Event.
type Event struct {
	Kind  EventKind
	Name  string
	Bytes []byte
}

// EventKind says what an Event is.
type EventKind uint8

// The kinds of events.
const (
	Begin EventKind = iota + 1
	Bytes
	Symbol
	End
	Check
)

// ErrRefused is returned for input that the grammar does not accept.
var ErrRefused = errors.New("the grammar does not accept this")

// ErrEndsEarly is returned when the input ends before the grammar allows it.
var ErrEndsEarly = errors.New("the input ends before the grammar allows it")

// Reader reads one output and tells what its captures hold. Where the grammar can read the text in
// several ways, what they agree on is told, the rest when it is decided; at the end the first way
// in the grammar's order wins.
type Reader struct {
	m       *Machine
	threads []thread
	spare   []thread
	at      int64 // bytes read

	text  []byte // bytes from told on
	told  int64
	marks int // marks of the threads' lists that have been told
	depth int // open captures
	out   []Event
	lists [][]mark
	bytes []byte
}

// NewReader starts reading. The machine must have been made with events, and is the reader's own.
func NewReader(m *Machine) *Reader {
	return &Reader{m: m, threads: []thread{m.start()}}
}

// Full says that of what was read not all was understood: see Machine.Full.
func (r *Reader) Full() bool { return r.m.Full() }

// Offset is the number of bytes read.
func (r *Reader) Offset() int64 { return r.at }

// Distance returns the least number of bytes to a legal end. A symbol counts as one byte.
func (r *Reader) Distance() int {
	best := int32(unreachable)
	for _, t := range r.threads {
		best = min(best, r.m.distanceOf(t))
	}
	return int(best)
}

// Feed reads text up to the first byte that the grammar refuses, and returns how much it has read.
func (r *Reader) Feed(text []byte) (int, error) {
	for i, b := range text {
		if err := r.step(int(b), 1); err != nil {
			return i, err
		}
		r.text = append(r.text, b)
		r.at++
	}
	return len(text), nil
}

// FeedSymbol reads the symbol with this text.
func (r *Reader) FeedSymbol(name string) error {
	for i, s := range r.m.prog.symbols {
		if s.Text == name {
			return r.step(symbolBase+i, 0)
		}
	}
	return ErrRefused
}

func (r *Reader) step(in int, width int64) error {
	r.m.at, r.m.width = r.at, width
	next := r.spare[:0]
	for _, t := range r.threads {
		next = r.m.step(next, t, in)
	}
	next = distinct(next)
	switch {
	case len(next) == 0:
		return ErrRefused
	case len(next) > maxThreads:
		return ErrAmbiguous
	}
	r.threads, r.spare = next, r.threads
	return nil
}

// distinct keeps the first of threads that differ only in their events. A set of few costs more
// than to compare them.
func distinct(list []thread) []thread {
	out, many := list[:0], map[thread]bool(nil)
	if len(list) > manyThreads {
		many = make(map[thread]bool, len(list))
	}
	for _, t := range list {
		key := t
		key.ev = 0
		if many[key] || many == nil && slices.ContainsFunc(out, func(u thread) bool { return u.same(t) && u.stack == t.stack }) {
			continue
		}
		if out = append(out, t); many != nil {
			many[key] = true
		}
	}
	return out
}

// Done says whether the input may end here.
func (r *Reader) Done() bool {
	for _, t := range r.threads {
		if len(r.m.finish(nil, t)) > 0 {
			return true
		}
	}
	return false
}

// Close says that the input has ended.
func (r *Reader) Close() error {
	r.m.at = r.at
	for _, t := range r.threads {
		if ends := r.m.finish(nil, t); len(ends) > 0 {
			r.threads = ends[:1]
			return nil
		}
	}
	return ErrEndsEarly
}

// Events returns what has become certain since the last call. The events are valid until the next
// call of any method.
func (r *Reader) Events() []Event {
	r.out, r.bytes = r.out[:0], r.bytes[:0]
	common, limit := r.agreed()
	for _, x := range common {
		r.tellText(x.at)
		r.tellMark(x)
	}
	r.marks += len(common)
	r.tellText(limit)
	r.forget()
	return r.out
}

// agreed returns the marks on which all threads agree, and the position up to which they agree
// about the text.
func (r *Reader) agreed() ([]mark, int64) {
	common := r.marksOf(0, r.threads[0].ev)
	limit := r.at
	for i, t := range r.threads[1:] {
		list := r.marksOf(i+1, t.ev)
		n := 0
		for n < len(common) && n < len(list) && common[n].sameAs(list[n]) {
			n++
		}
		if n < len(list) {
			limit = min(limit, list[n].at)
		}
		if n < len(common) {
			limit = min(limit, common[n].at)
			common = common[:n]
		}
	}
	return common, limit
}

func (x mark) sameAs(y mark) bool { return x.op == y.op && x.arg == y.arg && x.at == y.at }

// marksOf lists the marks of a thread that have not been told, oldest first.
func (r *Reader) marksOf(i int, ev eventID) []mark {
	for len(r.lists) <= i {
		r.lists = append(r.lists, nil)
	}
	list := r.lists[i][:0]
	for ; ev != 0; ev = r.m.marks[ev].prev {
		list = append(list, r.m.marks[ev])
	}
	slices.Reverse(list)
	r.lists[i] = list
	return list[min(r.marks, len(list)):]
}

// tellText tells the text up to a position, if it is in a capture.
func (r *Reader) tellText(to int64) {
	n := int(to - r.told)
	if n <= 0 {
		return
	}
	if r.depth > 0 {
		from := len(r.bytes)
		r.bytes = append(r.bytes, r.text[:n]...)
		r.out = append(r.out, Event{Kind: Bytes, Bytes: r.bytes[from:len(r.bytes):len(r.bytes)]})
	}
	r.text = r.text[:copy(r.text, r.text[n:])]
	r.told = to
}

func (r *Reader) tellMark(x mark) {
	p := r.m.prog
	switch x.op {
	case opBegin:
		r.depth++
		r.out = append(r.out, Event{Kind: Begin, Name: p.names[x.arg]})
	case opEnd:
		r.depth--
		r.out = append(r.out, Event{Kind: End, Name: p.names[x.arg]})
	case opCheck:
		r.out = append(r.out, Event{Kind: Check})
	case opSym:
		if r.depth == 0 {
			return
		}
		r.out = append(r.out, Event{Kind: Symbol, Name: p.symbols[x.arg].Text})
	}
}

// forget drops the marks that have been told, once nothing is undecided.
func (r *Reader) forget() {
	if len(r.threads) != 1 {
		return // those that died on the way have left marks too
	}
	r.threads[0].ev, r.marks = 0, 0
	r.m.marks = r.m.marks[:1]
}
