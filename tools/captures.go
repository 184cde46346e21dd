package tools

import (
	"slices"
	"strconv"
	"strings"

	"tenon/grammar"
)

// The captures of a turn's grammar: what output writes, captureParser reads.
const (
	captureThinking = "thinking"
	captureContent  = "content"
	captureMark     = "mark"    // of visible text: white space beside it is layout
	captureStop     = "stop"    // a stop string that ends visible text
	captureCall     = "call"    // all of a call
	captureName     = "name"    // of a tool; the call begins behind it
	captureArgs     = "args"    // arguments that are one JSON object
	captureMembers  = "members" // arguments that have places of their own; text that is in none of the next is layout
	captureMember   = "member"  // one argument; member-K is that of the tool's K-th property, without a number its key is in it
	captureKey      = "key"     // a key as plain text
	captureText     = "text"    // a string as plain text
	captureJSON     = "json"    // a value, or a part of one, as JSON
	captureTrue     = "true"    // a word for the value
	captureFalse    = "false"
	captureNull     = "null"
	captureField    = "field"  // a value as text that the schema has to read
	captureTree     = "tree"   // a value as elements
	captureObject   = "object" // a value whose members are written with key and value
	captureList     = "list"   // a value whose items are written with item
	captureItem     = "item"
	captureInput    = "input"  // the text of a free-form tool
	captureQuoted   = "quoted" // the same, as it stands inside a JSON string
)

// part is a capture that is open.
type part struct {
	name  string
	index int // K of member-K; -1 for others
}

func partOf(name string) part {
	if k, ok := strings.CutPrefix(name, captureMember+"-"); ok {
		if n, err := strconv.Atoi(k); err == nil {
			return part{captureMember, n}
		}
	}
	return part{name, -1}
}

var _ Parser = (*captureParser)(nil)

// captureParser parses output that was made under the plan's grammar, by that grammar: generator and parser cannot
// disagree, and arguments leave while they are written. Output that leaves the grammar nevertheless goes to the tolerant
// parser (leave.go).
type captureParser struct {
	*emitter
	grammar *grammar.Parser
	open    []part // innermost last
	partial []byte // fewer than utf8.UTFMax bytes: the start of a character inside a value
	word    []byte // a name, or what has to be whole before it means something
	call    writtenCall
	none    []byte // text of a call that proved to be none, see giveBack
	before  int    // bytes of the output before the present token

	compiled *grammar.Grammar
	output   []byte   // all of it, for leave
	symbols  []symbol // in it
	accepted int      // bytes of it that the grammar has read

	text *tolerant // reads the text of the capture: calls may be written in it in another form than the grammar's

	sentText, sentReasoning int // bytes
	room                    int // bytes that the output may still have, where it is limited
	limited                 bool
	behindCall              bool // the last capture was a call, behind which there is no text
	ended                   bool
	closed                  bool
	rest                    *latecomer // reads on once the output has left the grammar; nil before
}

func newCaptureParser(p *Plan, g *grammar.Grammar) *captureParser {
	return &captureParser{emitter: newEmitter(p), compiled: g, grammar: g.Parser()}
}

// Token implements Parser.
func (p *captureParser) Token(text []byte, isSymbol bool) []Event {
	p.events = p.events[:0]
	if p.closed || len(text) == 0 {
		return nil
	}
	if p.rest != nil {
		return p.rest.token(text, isSymbol)
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
func (p *captureParser) Room(bytes int) { p.room, p.limited = bytes, true }

// InCall implements Parser.
func (p *captureParser) InCall() bool {
	if p.rest != nil {
		return !p.rest.mute && p.rest.inner.InCall()
	}
	return p.call.open || p.text != nil && p.text.InCall()
}

// read has the grammar read a token. It is false if the grammar refuses it.
func (p *captureParser) read(text []byte, isSymbol bool) bool {
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
	if p.plan.markers.byText[string(text)].role == roleEnd {
		p.content.beside()
	}
	return true
}

// told turns what the grammar has told into events.
func (p *captureParser) told() {
	for _, x := range p.grammar.Events() {
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

// count keeps account of what has been sent.
func (p *captureParser) count() {
	for _, e := range p.events {
		switch e.Kind {
		case Text:
			p.sentText += len(e.Text)
		case Reasoning:
			p.sentReasoning += len(e.Text)
		}
	}
}

// begun does what the beginning of a capture means.
func (p *captureParser) begun(x part) {
	p.giveBack()
	switch x.name {
	case captureThinking:
		if !p.plan.turn.Thinking.Open {
			p.content.beside()
			p.reasoning.beside()
		}
		p.beginText(true)
	case captureContent:
		if p.plan.dialect.announcesText() {
			p.content.beside()
		}
		p.beginText(false)
	case captureMark:
		p.content.beside()
	default:
		p.begunInCall(x)
	}
}

// over does what the end of a capture means.
func (p *captureParser) over(x part) {
	switch x.name {
	case captureThinking:
		p.text.endText()
		p.reasoning.beside()
		p.content.beside()
	case captureContent:
		p.text.endText()
	case captureStop:
		p.stopAt(string(p.word))
		p.word = p.word[:0]
	default:
		p.overInCall(x)
	}
}

// bytes takes text of the innermost capture.
func (p *captureParser) bytes(b []byte) {
	if len(p.open) == 0 {
		return
	}
	switch name := p.open[len(p.open)-1].name; name {
	case captureThinking, captureContent:
		p.text.add(b, false)
	case captureStop:
		p.word = append(p.word, b...)
	default:
		p.bytesInCall(name, b)
	}
}

// beginText has the tolerant parser read the text of a capture: it takes out markers that ordinary letters spell, and finds
// calls that the model wrote in another form than the grammar's.
func (p *captureParser) beginText(thinking bool) {
	solid := p.text != nil && p.text.solid
	p.behindCall = false
	p.text = &tolerant{emitter: p.emitter, thinking: thinking, cursor: cursor{blank: true}, solid: solid, begun: true, offset: p.before}
}

// Close implements Parser.
func (p *captureParser) Close(truncated bool) []Event {
	p.events = p.events[:0]
	if p.closed {
		return nil
	}
	p.closed = true
	if p.rest == nil {
		if p.grammar.Close() == nil || p.behindCall { // what has been cut off there is layout and markers
			p.told()
			p.giveBack()
			p.finish(&p.reasoning)
			p.finish(&p.content)
			p.flushStops()
			return p.events
		}
		if truncated && p.plan.callable && !p.inContent() {
			return p.closeUnbegun()
		}
		p.leave(truncated)
	}
	return append(p.events, p.rest.close(truncated)...)
}

// inContent tells whether the output has come to visible text and not beyond it.
func (p *captureParser) inContent() bool {
	return slices.ContainsFunc(p.open, func(x part) bool { return x.name == captureContent })
}

// closeUnbegun ends an output that was cut off on the way to a call or in one of which nothing has been sent: a call that had to come and
// did not fit. What is written of it is no text.
func (p *captureParser) closeUnbegun() []Event {
	p.leave(true)
	all := append(p.events, p.rest.close(true)...)
	if p.rest.mute {
		return all
	}
	some := slices.DeleteFunc(all, func(e Event) bool { return e.Kind == Text })
	if len(some) < len(all) {
		p.rest.inner.note(0, "the beginning of a call, which did not fit, was left out")
	}
	return some
}
