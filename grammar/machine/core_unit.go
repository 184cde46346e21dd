package machine

import (
	"encoding/json"
	"sync"

	"tenon/grammar/gbnf"
	"tenon/grammar/lex"
	"tenon/grammar/lex/number"
	"tenon/grammar/schema"
)

// Unit is a JSON Schema ready to be entered, with the choices about spelling. Units are shared
// between machines and grammars.
type Unit struct {
	mu     sync.Mutex // protects schema and its nodes
	schema *schema.Schema
	arena  *lex.Arena
	text   int // bytes of the schema

	anySpace, noSpace bool
	declared          bool // keys only in declared order
	escapes           lex.Escapes
	anyText           lex.Expr
	plainString       lex.StringState // the inside of any string
}

// The most digits that numbers=canonical admits before and behind the point: enough for every
// 64-bit integer and nearly every float, too few for a model to loop. Where a schema leaves only
// longer numbers, they are admitted.
const (
	MaxIntegerDigits  = 20
	MaxFractionDigits = 20
)

// NewUnit compiles the schema of a %json terminal, for automata within limits. Errors are those of
// package schema.
func NewUnit(n *gbnf.Node, lenient bool, limits lex.Limits, stop func() error) (*Unit, error) {
	o := n.Options
	u := &Unit{text: len(n.Text) + len(o.Documents), anySpace: o.Space == "" || o.Space == "any", noSpace: o.Space == "none", declared: o.Order == "declared"}
	so := schema.Options{Tool: o.Tool, Lenient: lenient || o.Lenient, CloseObjects: o.Extra == "none", Limits: schema.Limits{Automata: limits}, Stop: stop}
	if o.Format == "annotate" {
		so.Formats = schema.FormatsAnnotation
	}
	switch o.Numbers {
	case "plain":
		so.Numbers.Spelling = number.SpellPlain
	case "canonical":
		so.Numbers = schema.Numbers{Spelling: number.SpellPlain, MaxIntegerDigits: MaxIntegerDigits, MaxFractionDigits: MaxFractionDigits}
	}
	var err error
	if so.Documents, err = documentsOf(o); err != nil {
		return nil, err
	}
	if u.schema, err = schema.Compile(n.Text, so); err != nil {
		return nil, err
	}
	u.arena = u.schema.Arena()
	switch o.Escapes {
	case "canonical":
		u.escapes = lex.EscapesCanonical
	case "common":
		u.escapes = lex.EscapesCommon
	}
	u.anyText = u.arena.AnyText()
	u.plainString = u.arena.StartString(u.anyText, u.escapes)
	return u, nil
}

// documentsOf decodes the schemas that references may lead to.
func documentsOf(o gbnf.JSONOptions) (map[string][]byte, error) {
	if o.Documents == "" {
		return nil, nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(o.Documents), &raw); err != nil {
		return nil, &schema.InvalidError{Tool: o.Tool, Why: "documents: not a JSON object: " + err.Error()}
	}
	all := make(map[string][]byte, len(raw))
	for uri, text := range raw {
		all[uri] = text
	}
	return all, nil
}

// Issues lists what the unit does not enforce as written.
func (u *Unit) Issues() []schema.Issue { return u.schema.Issues }

// locked runs f while no other machine uses the schema's nodes.
func (u *Unit) locked(f func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	f()
}

// White space between the parts of a JSON text is read by a small automaton. Any space has the one
// state 0. Bounded space is a blank, or a newline and then blanks or tabs up to maxIndent.
const (
	spaceNone    = 0
	spaceBlank   = 1
	spaceNewline = 2 // and beyond it the number of blanks
	maxIndent    = 40
)

// space reads one byte of white space in a state.
func (u *Unit) space(w int32, b byte) (int32, bool) {
	switch {
	case u.anySpace:
		return spaceNone, true
	case u.noSpace || w == spaceBlank:
		return 0, false
	case w == spaceNone && b == ' ':
		return spaceBlank, true
	case w == spaceNone && b == '\n':
		return spaceNewline, true
	case w >= spaceNewline && w < spaceNewline+maxIndent && (b == ' ' || b == '\t'):
		return w + 1, true
	}
	return 0, false
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// A phase says where in a value, object or array a thread stands. It is the low bits of the
// thread's state. Above it is the state of the white space, and above that, of an object, the keys
// that it has and does not name.
const (
	phaseColon   = iota // of a value: behind its key
	phaseValue          // of a value
	phaseRoot           // of a value: as phaseValue, but white space must be any
	phaseOpen           // of an object or array: behind the opening bracket
	phaseComma          // behind a comma
	phaseAfter          // behind an element
	phaseElement        // of an array: in an element that is recorded
)

const (
	phaseBits = 3
	spaceBits = 6
	keysShift = phaseBits + spaceBits
)

func phaseOf(st int32) int32 { return st & (1<<phaseBits - 1) }

func keysOf(st int32) keysID { return keysID(st >> keysShift) }

// inPhase is a phase of an object that has some keys.
func inPhase(phase int32, keys keysID) int32 { return phase | int32(keys)<<keysShift }

// stepSpace reads white space where a thread's state admits it.
func (m *Machine) stepSpace(dst []thread, t thread, u *Unit, b byte) []thread {
	w, ok := u.space(t.st>>phaseBits&(1<<spaceBits-1), b)
	if !ok {
		return dst
	}
	t.st = inPhase(phaseOf(t.st), keysOf(t.st)) | w<<phaseBits
	t.rec = m.texts.add(t.rec, b)
	return append(dst, t)
}

// View is what printers may know about a unit.
type View struct {
	Root     *schema.Node
	Arena    *lex.Arena
	AnySpace bool
	NoSpace  bool
	Declared bool // keys only in declared order
	Escapes  lex.Escapes
	Indent   int // blanks that bounded space admits behind a newline
}

// View calls f with the unit's contents, which f must not keep.
func (u *Unit) View(f func(View)) {
	u.locked(func() {
		f(View{u.schema.Root, u.arena, u.anySpace, u.noSpace, u.declared, u.escapes, maxIndent})
	})
}
