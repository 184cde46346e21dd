package parse

import (
	"slices"
	"strconv"
	"strings"

	"tenon/grammar"
	"tenon/tools/emit"
	"tenon/tools/format"
	"tenon/tools/turn"
)

// part is a capture that is open.
type part struct {
	Name  string
	index int // K of member-K; -1 for others
}

func partOf(name string) part {
	if k, ok := strings.CutPrefix(name, emit.CaptureMember+"-"); ok {
		if n, err := strconv.Atoi(k); err == nil {
			return part{emit.CaptureMember, n}
		}
	}
	return part{name, -1}
}

var _ turn.Parser = (*Constrained)(nil)

// Constrained parses output that was made under the plan's grammar, by that grammar: generator and
// parser cannot disagree, and arguments leave while they are written. Output that leaves the
// grammar nevertheless goes to the tolerant parser (grammar_fallback.go).
type Constrained struct {
	*emitter
	grammar *grammar.Parser
	open    []part // innermost last
	partial []byte // the last text of a value
	taken   int    // of it; the rest is the start of a character
	word    []byte // a name, or what has to be whole before it means something
	call    capturedCall
	none    []byte // text of a call that proved to be none, see giveBack
	before  int    // bytes of the output before the present token
	at      int    // where in the output stands what the grammar tells

	compiled *grammar.Grammar
	output   []byte   // all of it, for leave
	symbols  []symbol // in it
	accepted int      // bytes of it that the grammar has read

	// reads the text of the capture: calls may be written in it in another form than the
	// grammar's
	text *Tolerant

	sentText, sentReasoning int // bytes
	room                    int // bytes that the output may still have, where it is limited
	limited                 bool
	behindCall              bool // the last capture was a call, behind which there is no text
	ended                   bool
	closed                  bool
	// reads on once the output has left the grammar; nil before
	Rest *latecomer
}

// NewConstrained returns a parser of output that was made under g, the turn's grammar. newID
// makes the ids of calls; nil: they are numbered.
func NewConstrained(p *Reading, g *grammar.Grammar, newID func(turn.Call) string) *Constrained {
	c := &Constrained{emitter: newEmitter(p, newID), compiled: g, grammar: g.Parser()}
	if !p.Callable && p.Turn.Thinking.Off { // all white space is text
		c.content.limit = 0
	}
	return c
}

// Token implements Parser.
func (p *Constrained) Token(text []byte, isSymbol bool) []turn.Event {
	p.events = p.events[:0]
	if p.closed || len(text) == 0 {
		return nil
	}
	if p.Rest != nil {
		return p.Rest.token(text, isSymbol)
	}
	p.before = len(p.output)
	p.output = append(p.output, text...)
	if isSymbol {
		p.symbols = append(p.symbols, symbol{p.before, len(p.output)})
	}
	read := p.grammar.Offset()
	if !p.read(text, isSymbol) {
		p.accepted = p.before + int(p.grammar.Offset()-read)
		p.leave(false)
		return p.events
	}
	p.accepted = len(p.output)
	p.told()
	return p.events
}

// Room implements Parser.
func (p *Constrained) Room(bytes int) { p.room, p.limited = bytes, true }

// InCall implements Parser.
func (p *Constrained) InCall() bool {
	if p.Rest != nil {
		return !p.Rest.mute && p.Rest.inner.InCall()
	}
	return p.call.open || p.text != nil && p.text.InCall()
}

// read has the grammar read a token. It is false if the grammar refuses it.
func (p *Constrained) read(text []byte, isSymbol bool) bool {
	switch {
	case p.ended:
		return false
	case !isSymbol:
		return p.grammar.Feed(text) == nil
	case p.grammar.FeedSymbol(string(text)) == nil:
		return true
	case !p.grammar.Done():
		return false
	}
	p.ended = true // an end token is no part of the grammar
	if p.plan.Markers.ByText[string(text)].Role == format.RoleEnd {
		p.content.beside()
	}
	return true
}

// told turns what the grammar has told into events.
func (p *Constrained) told() {
	all := p.grammar.Events()
	p.at = len(p.output)
	for i := range all {
		p.at -= length(&all[i])
	}
	for i := range all {
		x := &all[i]
		if n := length(x); n > 0 {
			p.call.place(p.at)
			p.at += n
		}
		switch x.Kind {
		case grammar.Begin:
			p.open = append(p.open, partOf(x.Name))
			p.begun(p.open[len(p.open)-1])
		case grammar.End:
			last := p.open[len(p.open)-1]
			p.open = p.open[:len(p.open)-1]
			p.over(last)
		case grammar.Bytes:
			p.bytes(x.Bytes)
		}
	}
	p.sendArguments()
	p.count()
}

// length is how much of the output an event holds.
func length(e *grammar.Event) int {
	if e.Kind == grammar.Symbol {
		return len(e.Name)
	}
	return len(e.Bytes)
}

// count keeps account of what has been sent.
func (p *Constrained) count() {
	for i := range p.events {
		switch e := &p.events[i]; e.Kind {
		case turn.Text:
			p.sentText += len(e.Text)
		case turn.Reasoning:
			p.sentReasoning += len(e.Text)
		}
	}
}

// begun does what the beginning of a capture means.
func (p *Constrained) begun(x part) {
	p.giveBack()
	switch x.Name {
	case emit.CaptureThinking:
		if !p.plan.Turn.Thinking.Open {
			p.layout()
		}
		p.beginText(true)
	case emit.CaptureContent:
		if p.plan.Dialect.AnnouncesText() {
			p.content.beside()
		}
		p.beginText(false)
	case emit.CaptureMark:
		p.content.beside()
	default:
		p.begunInCall(x)
	}
}

// over does what the end of a capture means.
func (p *Constrained) over(x part) {
	switch x.Name {
	case emit.CaptureThinking:
		p.text.endText()
		p.layout()
	case emit.CaptureContent:
		p.text.endText()
	case emit.CaptureStop:
		p.text.endThought(false)
		p.stopAt(string(p.word))
		p.word = p.word[:0]
	default:
		p.overInCall(x)
	}
}

// bytes takes text of the innermost capture.
func (p *Constrained) bytes(b []byte) {
	if len(p.open) == 0 {
		return
	}
	switch name := p.open[len(p.open)-1].Name; name {
	case emit.CaptureThinking, emit.CaptureContent:
		p.text.add(b, false)
	case emit.CaptureStop:
		p.word = append(p.word, b...)
	default:
		p.bytesInCall(name, b)
	}
}

// beginText has the tolerant parser read the text of a capture: it takes out markers that ordinary
// letters spell, and finds calls that the model wrote in another form than the grammar's.
func (p *Constrained) beginText(thinking bool) {
	solid := p.text != nil && p.text.solid
	p.behindCall = false
	p.text = &Tolerant{emitter: p.emitter, thinking: thinking, cursor: cursor{blank: true}, solid: solid, begun: true, offset: p.before}
}

// Close implements Parser.
func (p *Constrained) Close(truncated bool) []turn.Event {
	p.events = p.events[:0]
	if p.closed {
		return nil
	}
	p.closed = true
	if p.Rest == nil {
		// what has been cut off there is layout and markers
		if p.grammar.Close() == nil || p.behindCall {
			p.told()
			p.giveBack()
			p.finish(&p.reasoning)
			p.finish(&p.content)
			p.flushStops()
			return p.events
		}
		if truncated && p.plan.Callable && !p.inContent() {
			return p.closeUnbegun()
		}
		p.leave(truncated)
	}
	return append(p.events, p.Rest.close(truncated)...)
}

// inContent tells whether the output has come to visible text and not beyond it.
func (p *Constrained) inContent() bool {
	return slices.ContainsFunc(p.open, func(x part) bool { return x.Name == emit.CaptureContent })
}

// closeUnbegun ends an output that was cut off on the way to a call or in one of which nothing has
// been sent: a call that had to come and did not fit. What is written of it is no text.
func (p *Constrained) closeUnbegun() []turn.Event {
	p.leave(true)
	all := append(p.events, p.Rest.close(true)...)
	if p.Rest.mute {
		return all
	}
	some := slices.DeleteFunc(all, func(e turn.Event) bool { return e.Kind == turn.Text })
	if len(some) < len(all) {
		p.Rest.inner.note(0, "the beginning of a call, which did not fit, was left out")
	}
	return some
}
