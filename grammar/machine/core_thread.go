package machine

import "slices"

// kindDef names an automaton: its kind in the low bits, its index among those of that kind above.
type kindDef int32

// The kinds of automata.
const (
	kindEnd   = iota // everything has been read
	kindRule         // a rule of the program; st is a state of it
	kindLex          // a language of package lex; st is its lex.State
	kindUntil        // text up to a marker; st is a state of its automaton
	kindValue        // a JSON value; st says whether a colon or white space comes first
	// the inside of a JSON string; st is a lex.State, aux the code points left
	kindString
	kindObject     // a JSON object; st is a phase, aux its register
	kindNamedKey   // a declared key
	kindUnnamedKey // another key
	kindArray      // a JSON array; st is a phase, aux its register
	kindSpace      // white space behind a JSON text
	kindPlain      // the text of a string; st is a lex.State, aux the code points read
	kindQuoted     // text as it stands inside a JSON string; st is a lex.StringState
	// parts in any order; st is how much of what begins the next was read, aux the set of
	// those that came
	kindEach
	kindBits = 4
)

const (
	defEnd   kindDef = kindEnd
	defRule  kindDef = kindRule
	defLex   kindDef = kindLex // of the program's own arena
	defSpace kindDef = kindSpace
)

func (d kindDef) kind() int  { return int(d) & (1<<kindBits - 1) }
func (d kindDef) index() int { return int(d) >> kindBits }

func def(kind, index int) kindDef { return kindDef(index<<kindBits | kind) }

// thread is one way of reading the text so far, as in a Pike VM: an automaton with its state, and
// the stacks of callers that wait for it to end. A set of stacks is a node of a graph-structured
// stack.
type thread struct {
	stack stackID
	def   kindDef
	st    int32
	aux   int32
	rec   textID // what has been read since recording began; see texts
	ev    eventID
}

// same says whether two threads read on alike, but for their stacks.
func (t thread) same(u thread) bool {
	return t.def == u.def && t.st == u.st && t.aux == u.aux && t.rec == u.rec
}

// textID is an interned text: the one before its last byte, and that byte. Recording is on where
// what was read must be known later: the key of an object, an element of an array whose elements
// must differ. Zero means off.
type textID int32

// noText is the empty text of a recording.
const noText textID = 1

// texts holds all texts that a machine has recorded.
type texts struct {
	nodes pile[textNode]
	table idTable
}

type textNode struct {
	prev textID
	b    byte
}

func newTexts() *texts {
	x := &texts{table: newIDTable()}
	x.nodes.add(textNode{}, textNode{}) // off, and noText
	return x
}

func hashText(prev textID, b byte) uint32 {
	h := (uint64(prev)<<8 | uint64(b)) * 0x9E3779B97F4A7C15
	return uint32(h >> 32)
}

// add gives the text with one more byte; it stays off where it is off.
func (x *texts) add(prev textID, b byte) textID {
	if prev == 0 {
		return 0
	}
	h := hashText(prev, b)
	part := x.table.part(h)
	mask := uint32(len(part.slots) - 1)
	for i := h & mask; part.slots[i].id != 0; i = (i + 1) & mask {
		if n := x.nodes.at(part.slots[i].id); n.prev == prev && n.b == b {
			return textID(part.slots[i].id)
		}
	}
	id := x.nodes.add(textNode{prev, b}).at
	part.put(h, id)
	return textID(id)
}

// appendSince appends what was recorded after start to dst.
func (x *texts) appendSince(dst []byte, start, end textID) []byte {
	from := len(dst)
	for end != start && end > noText {
		n := x.nodes.at(int32(end))
		dst, end = append(dst, n.b), n.prev
	}
	slices.Reverse(dst[from:])
	return dst
}

// eventID is a list of captures' beginnings and ends, newest first. Zero is the empty list, and
// the only one where no events are wanted.
type eventID int32

// mark is one event of a list.
type mark struct {
	prev eventID
	op   op    // opBegin, opEnd, opCheck or opSym
	arg  int32 // index of the name or symbol
	at   int64 // bytes read before it
}
