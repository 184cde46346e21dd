package machine

import (
	"errors"
	"fmt"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/schema"
)

// symbolBase is the input that stands for the symbol 0 of a program; inputs below it are bytes.
const symbolBase = 256

// ErrAmbiguous is returned when a grammar can read a text in more ways than a machine follows.
var ErrAmbiguous = errors.New("the grammar can read the text in too many ways")

// ErrTooComplex is returned when there are too many ways to go on from one place of a grammar.
var ErrTooComplex = errors.New("the grammar has too many ways to go on")

// maxThreads bounds the ways of reading a text that are followed at once.
const maxThreads = 20_000

// Machine runs a program: it steps threads over inputs. What it computes on the way (closures,
// automata, interned stacks) it keeps, so that it gets faster as it is used. A Machine must be
// used by one goroutine at a time.
type Machine struct {
	prog   *Program
	events bool // threads carry events, and are not merged where those differ

	spelled  map[spelling][]string // memo of spellings
	arenas   []*lex.Arena          // the program's own, and those of its JSON Schemas
	units    map[*gbnf.Node]*Unit
	unitIDs  map[*Unit]int
	stacks   *stacks
	texts    *texts
	closures []*closure
	closed   int              // bytes that closures take, roughly
	empties  map[int32][]edge // memo of emptyMarks
	entries  []thread         // by terminal: its automaton at the start; def 0 until entered
	untils   []*until
	plains   []plain
	eaches   []*anyOrderSets

	values      []value
	valueIDs    map[*schema.Node]int32
	strings     []jsonString
	stringIDs   map[stringKey]int32
	objects     []*object
	objectIDs   map[*schema.ObjectAlt]int32
	nameLists   []nameList
	nameListIDs map[string]int32
	classes     []class
	classIDs    map[class]int32
	keys        *keySets
	behind      []member // scratch
	arrays      []*array
	arrayIDs    map[*schema.ArrayAlt]int32

	solving *lengths // while lengths of values are being found

	members     map[textID]map[textID]textID // memo of membersOf
	escapeTexts []string                     // escapes begun in named keys; 0 is none
	escapeNeeds map[stringState]escapeNeed   // memo of escapeFits
	buf         []byte
	marks       []mark
	configs     *configs
	work        []thread // scratch, used as a stack
	dist        distances
	err         error // why the last step led nowhere, if not because of the text
	limit       error // a limit that made the machine refuse too much from then on
	at          int64 // bytes read before the current step, for events
	width       int64 // bytes the current input takes: 1, or 0 for a symbol
}

// New makes a machine for a program, whose %json terminals are in units. With events, it tells
// what captures hold.
func New(p *Program, units map[*gbnf.Node]*Unit, events bool) *Machine {
	return &Machine{
		prog: p, events: events, arenas: []*lex.Arena{lex.NewArena(lex.Limits{})}, stacks: newStacks(), texts: newTexts(),
		units: units, unitIDs: map[*Unit]int{},
		closures: make([]*closure, len(p.states)), entries: make([]thread, len(p.subs)), marks: make([]mark, 1), configs: newConfigs(),
		empties: map[int32][]edge{}, valueIDs: map[*schema.Node]int32{}, stringIDs: map[stringKey]int32{}, objectIDs: map[*schema.ObjectAlt]int32{},
		arrayIDs: map[*schema.ArrayAlt]int32{}, escapeTexts: []string{""}, escapeNeeds: map[stringState]escapeNeed{}, members: map[textID]map[textID]textID{},
		spelled: map[spelling][]string{}, nameListIDs: map[string]int32{}, classIDs: map[class]int32{}, keys: newKeySets(), dist: distances{stacks: map[stackID]int32{}},
	}
}

// start is the thread that has read nothing.
func (m *Machine) start() thread {
	return thread{def: defRule, st: m.prog.rules[m.prog.root].start}
}

// Prepare compiles a terminal's automaton, so that errors in it are found before anything is
// matched.
func (m *Machine) Prepare() error {
	m.closureOf(m.start().st)
	if m.limit != nil {
		return m.limit
	}
	for i, n := range m.prog.subs {
		if _, err := m.compileSub(n); err != nil {
			return fmt.Errorf("terminal %d: %w", i, err)
		}
	}
	return m.Lost()
}

// enter is the thread at the start of a terminal, without its stack.
func (m *Machine) enter(sub int32) thread {
	if m.entries[sub].def == defEnd {
		t, err := m.compileSub(m.prog.subs[sub])
		if err != nil {
			t = thread{def: defLex, st: int32(lex.Dead)}
		}
		m.entries[sub] = t
	}
	return m.entries[sub]
}

func (m *Machine) compileSub(n *gbnf.Node) (thread, error) {
	switch n.Op {
	case gbnf.Class:
		return m.lexThread(m.arenas[0].Runes(n.Ranges...)), nil
	case gbnf.JSON:
		return m.enterJSON(n), nil
	case gbnf.Plain:
		return m.enterPlain(n)
	case gbnf.Quoted:
		return m.enterQuoted(n)
	case gbnf.Each:
		return m.enterEach(n), nil
	case gbnf.Regex:
		e, err := m.arenas[0].Regex(anchored(n.Text))
		return m.lexThread(e), err
	case gbnf.Until:
		u, err := newUntil(n.Markers)
		if err != nil {
			return thread{}, err
		}
		m.untils = append(m.untils, u)
		return thread{def: def(kindUntil, len(m.untils)-1)}, nil
	}
	return thread{}, fmt.Errorf("terminal of kind %d has no automaton", n.Op)
}

func (m *Machine) lexThread(e lex.Expr) thread {
	return thread{def: defLex, st: int32(m.arenas[0].Start(e))}
}
