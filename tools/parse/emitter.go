package parse

import (
	"tenon/tools/turn"
)

// emitter is what all parsers have: the texts on their way out, and what has been found so far.
type emitter struct {
	plan  *Reading
	newID func(turn.Call) string

	content, reasoning stream
	arena              arena
	stops              stopper
	events             []turn.Event
	called             int
	broken             bool
	previous           string // name and arguments of the last call
	repairs            []turn.Repair
	notes              []turn.Note
	Looked             Outcome
}

// MinHold is how much white space may be kept back by a family of short markers.
const MinHold = 16

func newEmitter(p *Reading, newID func(turn.Call) string) *emitter {
	limit := max(p.Longest, MinHold)
	return &emitter{
		plan:      p,
		newID:     newID,
		content:   stream{kind: turn.Text, limit: limit},
		reasoning: stream{kind: turn.Reasoning, limit: limit, layout: true},
		stops:     newStopper(p.Turn.Stops),
	}
}

// Broken implements Parser.
func (e *emitter) Broken() bool { return e.broken }

// Repairs implements Parser.
func (e *emitter) Repairs() []turn.Repair { return e.repairs }

// Notes implements Parser.
func (e *emitter) Notes() []turn.Note { return e.notes }

// note takes a note about what stands at an offset in the output.
func (e *emitter) note(at int, text string) {
	const most = 256 // a hostile turn must not fill memory with notes
	if len(e.notes) < most {
		e.notes = append(e.notes, turn.Note{Offset: at, Text: text})
	}
}

func (e *emitter) emit(x turn.Event) { e.events = append(e.events, x) }
