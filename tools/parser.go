package tools

// Parser turns a turn's output into events. It is total: every sequence of bytes gives a valid turn, and how the output is
// cut into pieces changes nothing but how the same texts are cut into events.
type Parser interface {
	// Token takes the next token: its bytes, and whether it is a control or marker token rather than text. The events are
	// valid until the next call.
	Token(text []byte, isSymbol bool) []Event
	// Close ends the turn and returns the last events. truncated says that the model was cut off.
	Close(truncated bool) []Event
	// Room tells how many bytes the output may have behind the next token, one token a byte. Where it is told before each
	// token, no call is begun whose shortest end does not fit.
	Room(bytes int)
	// InCall says whether a call may have begun that has not ended.
	InCall() bool
	// Broken says that the output left its grammar inside a call of which a part had been sent: an engine that promised to follow the
	// grammar did not. The call can be neither taken back nor ended, and nothing follows it. Parsers of text never say so.
	Broken() bool
	// Repairs lists what was mended in the calls that were emitted.
	Repairs() []Repair
	// Notes lists what was left out or was no call, and why.
	Notes() []Note
}

// emitter is what all parsers have: the texts on their way out, and what has been found so far.
type emitter struct {
	plan *Plan

	content, reasoning stream
	arena              arena
	stops              stopper
	events             []Event
	called             int
	broken             bool
	previous           string // name and arguments of the last call
	repairs            []Repair
	notes              []Note
	looked             outcome
}

// minHold is how much white space may be kept back by a family of short markers.
const minHold = 16

func newEmitter(p *Plan) *emitter {
	limit := max(p.longest, minHold)
	return &emitter{
		plan:      p,
		content:   stream{kind: Text, limit: limit},
		reasoning: stream{kind: Reasoning, limit: limit, layout: true},
		stops:     newStopper(p.turn.Stops),
	}
}

// Broken implements Parser.
func (e *emitter) Broken() bool { return e.broken }

// Repairs implements Parser.
func (e *emitter) Repairs() []Repair { return e.repairs }

// Notes implements Parser.
func (e *emitter) Notes() []Note { return e.notes }

// note takes a note about what stands at an offset in the output.
func (e *emitter) note(at int, text string) {
	const most = 256 // a hostile turn must not fill memory with notes
	if len(e.notes) < most {
		e.notes = append(e.notes, Note{at, text})
	}
}

func (e *emitter) emit(x Event) { e.events = append(e.events, x) }
