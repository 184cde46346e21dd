package parse

import (
	"bytes"
	"sort"

	"tenon/tools/format"
	"tenon/tools/peek"
	"tenon/tools/scan"
	"tenon/tools/turn"
)

var _ turn.Parser = (*Tolerant)(nil)

// Tolerant parses text that was not made under the plan's grammar: it reads everything that a
// model may have meant, a superset of what the grammar accepts. It is total: every sequence of
// bytes gives a valid turn.
//
// It is a machine with three states: visible text, thinking, and a region that may hold calls.
// Text leaves as soon as it cannot be a marker. A region is kept until its end is known, then read
// by the dialect's readers; what proves to be no call leaves as text.
type Tolerant struct {
	*emitter
	spelt bool // markers are recognised by their spelling

	buf     []byte
	offset  int // of buf in the output
	symbols []symbol
	cursor

	thinking bool
	marked   bool // a marker opened the thinking, and not a label
	routing  bool // pos is in the routing thought
	region   *region
	code     *codeFence      // nil where none is open
	inCode   bool            // the whole text is in code, opened before it
	header   bool            // pos is inside a message header
	tagEnd   string          // of the tag that pos may be in; "" outside of one
	left     int             // where in the output the last region ended
	beside   bool            // nothing but white space and markers came since then
	steps    *format.Dialect // another family, of which a step has been read; its labels count
	thought  *thought        // nil where no text waits
	stepped  bool            // the labels of a step that was no call have been removed
	// no call starts before this offset in buf: what is there has been looked at
	mute      int
	suspicion suspicion

	misnamed string // the name in the call last looked at that no tool has

	solid bool // something other than white space came before in the turn

	quoting quoting
	spoken  bool // headers have lost their markers

	Again             int // bytes read again behind bare objects that were none
	cuts              int // regions that ended earlier than first thought
	truncated, closed bool
	sent              int // calls that are known to be such
	// the text that the generation prompt ends with has been put before the output
	begun bool
}

// cursor is where the parser is in its text.
type cursor struct {
	pos    int  // what is before it has been decided
	blank  bool // the line so far holds only white space
	indent int  // bytes of the line so far
	inWord bool // what was last decided is a byte of a word
}

// symbol is a marker that the model wrote as one token.
type symbol struct{ from, to int }

// NewTolerant returns a parser of any text. With spelt, markers are recognised by their spelling;
// else they must be tokens. newID makes the ids of calls; nil: they are numbered.
func NewTolerant(p *Reading, spelt bool, newID func(turn.Call) string) *Tolerant {
	routed := p.RoutedLine()
	open := p.Turn.Thinking.Open && p.Dialect.Thinks()
	return &Tolerant{emitter: newEmitter(p, newID), spelt: spelt, thinking: routed || open, marked: open, routing: routed, cursor: cursor{blank: true}}
}

// Token implements Parser.
func (p *Tolerant) Token(text []byte, isSymbol bool) []turn.Event {
	p.events, p.refused = p.events[:0], nil
	if p.closed || len(text) == 0 {
		return nil
	}
	p.add(text, isSymbol)
	return p.events
}

// add reads on.
func (p *Tolerant) add(text []byte, isSymbol bool) {
	p.compact()
	if isSymbol {
		p.symbols = append(p.symbols, symbol{len(p.buf), len(p.buf) + len(text)})
	}
	p.buf = append(p.buf, text...)
	p.run(false)
}

// endText decides what is left of the text. The turn goes on.
func (p *Tolerant) endText() {
	p.run(true)
	p.endThought(false)
	p.compact()
}

// Close implements Parser.
func (p *Tolerant) Close(truncated bool) []turn.Event {
	p.events, p.refused = p.events[:0], nil
	if p.closed {
		return nil
	}
	p.truncated = truncated
	p.run(true)
	p.endThought(false)
	p.finish(&p.reasoning)
	p.finish(&p.content)
	p.flushStops()
	p.closed = true
	return p.events
}

// Room implements Parser: what is sent of a call is whole.
func (p *Tolerant) Room(int) {}

// InCall implements Parser.
func (p *Tolerant) InCall() bool { return p.region != nil && !p.over }

// Over tells whether a label ended the turn, so that what followed was dropped.
func (p *Tolerant) Over() bool { return p.over }

func (p *Tolerant) note(at int, text string) { p.emitter.note(p.offset+at, text) }

// compact forgets what has been decided.
func (p *Tolerant) compact() {
	from := p.pos
	if p.region != nil {
		from = p.region.start
	}
	if from == 0 || from < len(p.buf) && from < 1<<10 {
		return
	}
	p.forget(from)
}

// forget takes what stands before an offset away.
func (p *Tolerant) forget(from int) {
	n := copy(p.buf, p.buf[from:])
	p.buf = p.buf[:n]
	p.pos -= from
	p.offset += from
	p.mute = max(0, p.mute-from)
	if p.region != nil {
		p.region.shift(from)
	}
	keep := p.symbols[:0]
	for _, s := range p.symbols {
		if s.to > from {
			keep = append(keep, symbol{s.from - from, s.to - from})
		}
	}
	p.symbols = keep
}

// run decides as much as it can.
func (p *Tolerant) run(final bool) {
	if !p.begun && !p.takeLead(final) {
		return
	}
	for p.pos < len(p.buf) || p.region != nil {
		var more bool
		switch {
		case p.region != nil:
			more = p.stepRegion(final)
		case p.tagEnd != "":
			more = p.stepTag(final)
		case p.header:
			more = p.stepHeader(final)
		case p.routing:
			more = p.stepRouting()
		case p.code != nil && !p.thinksInCode():
			more = p.stepCode(final)
		default:
			more = p.stepText(final)
		}
		if !more {
			return
		}
	}
}

// stepText reads text up to the next beginning of a call or marker. It says whether there is more
// to decide.
func (p *Tolerant) stepText(final bool) bool {
	for i := p.pos; i < len(p.buf); i++ {
		peek.Examine(1)
		b := p.buf[i]
		if p.beside && p.plan.Markers.Begin(b) {
			if a := p.cutOffMarkerAt(i, final); a != peek.No {
				return a == peek.Yes
			}
		}
		if p.plan.unopenedBytes[b] && !p.muted(i) && p.startsWord(i) && !p.asIs() {
			if a := p.openUnopened(i, final); a != peek.No {
				return a == peek.Yes
			}
		}
		if p.spoken && b == roleWord[0] {
			if a := p.takePlain(i, final); a != peek.No {
				return a == peek.Yes
			}
		}
		if b == peek.ByteOrderMark[0] && p.blankBefore(i) && !p.asIs() {
			if a := p.takeMark(i, final); a != peek.No {
				return a == peek.Yes
			}
		}
		symbol, isSymbol := p.symbolAt(i)
		if isSymbol || p.plan.Markers.Begin(b) {
			m, a := p.plan.Markers.At(p.buf[i:], final)
			if a == peek.Unknown {
				p.pass(i)
				return false
			}
			if isSymbol && (a == peek.No || len(m.Text) < symbol.to-symbol.from) {
				// a token the dialect does not know
				m, a = format.Marker{Text: string(p.buf[i:symbol.to])}, peek.Yes
			}
			if a == peek.Yes && p.counts(&m, isSymbol) {
				p.pass(i)
				p.marker(m, isSymbol)
				return true
			}
		}
		if p.plan.unmarkedBytes[b] && !p.muted(i) && !p.asIs() && p.mayStart(i, final) {
			p.pass(i)
			switch p.unmarkedAt(i, final) {
			case peek.Yes:
				return true
			case peek.Unknown:
				return false
			}
		}
		if i >= p.mute {
			p.suspicion.take(b)
		}
	}
	p.pass(len(p.buf))
	return false
}

// muted tells whether no call starts at offset i.
func (p *Tolerant) muted(i int) bool { return i < p.mute || p.suspicion == suspected }

// counts tells whether a marker is one here, and takes its role away where it only must not be
// seen: where the vocabulary has a token for it, the same text in ordinary letters is only text.
func (p *Tolerant) counts(m *format.Marker, isSymbol bool) bool {
	switch {
	case isSymbol:
		return true
	case p.asIs():
		return false
	case p.spelt || !p.plan.Dialect.Symbols[m.Text]:
		return true
	}
	m.Role = format.RoleStrip
	return len(p.plan.Tools) > 0
}

// markerAt tells whether a marker that counts stands at offset i.
func (p *Tolerant) markerAt(i int, final bool) (format.Marker, peek.Answer) {
	m, a := p.plan.Markers.At(p.buf[i:], final)
	if _, isSymbol := p.symbolAt(i); a == peek.Yes && !p.counts(&m, isSymbol) {
		a = peek.No
	}
	return m, a
}

// asIs tells whether the text is made under a grammar of the client's, where markers are data.
func (p *Tolerant) asIs() bool {
	return p.plan.Turn.Answer != nil && !p.thinking && p.solid
}

// pass lets text up to i leave.
func (p *Tolerant) pass(i int) {
	if i == p.pos {
		return
	}
	// what the generation prompt ends with is not the model's
	from := max(p.pos, min(i, -p.offset))
	if text := p.buf[from:i]; len(text) > 0 {
		if p.code != nil && !p.thinksInCode() && peek.SkipSpace(text, 0) < len(text) {
			p.giveCodeBack()
		}
		p.look(text)
		p.put(p.current(), text)
	}
	p.pos = i
}

// look remembers what the beginnings of calls depend on.
func (p *Tolerant) look(text []byte) {
	p.quoting.read(text, p.blank, p.solid)
	line := text
	if n := bytes.LastIndexByte(text, '\n'); n >= 0 {
		line = text[n+1:]
		p.blank, p.indent = true, 0
	}
	p.indent += len(line)
	// a space of another script may come in pieces
	p.blank = p.blank && peek.SkipSpace(line, 0) == len(line)
	if peek.SkipSpace(text, 0) < len(text) {
		p.solid, p.beside = true, false
	}
	p.inWord = peek.WordByte(text[len(text)-1])
}

func (p *Tolerant) current() *stream {
	if p.thinking {
		return &p.reasoning
	}
	return &p.content
}

// symbolAt returns the symbol that starts at i.
func (p *Tolerant) symbolAt(i int) (symbol, bool) {
	if len(p.symbols) == 0 {
		return symbol{}, false
	}
	k := sort.Search(len(p.symbols), func(k int) bool { return p.symbols[k].from >= i })
	if k == len(p.symbols) || p.symbols[k].from != i {
		return symbol{}, false
	}
	return p.symbols[k], true
}

// marker removes the marker at pos and does what it says.
func (p *Tolerant) marker(m format.Marker, isSymbol bool) {
	p.endThought(false) // a step has none
	at := p.pos
	p.pos += len(m.Text)
	p.tagEnd = m.TagEnd
	s := p.current()
	s.cut(p.plan.Longest)
	switch m.Role {
	case format.RoleThinkOpen:
		p.think(true)
	case format.RoleThinkClose:
		p.think(false)
	case format.RoleText:
		s.beside()
		p.think(false)
	case format.RoleLayout:
		if p.plan.Callable {
			s.beside()
		}
	case format.RoleHeader:
		p.header = true
	case format.RoleEnd:
		s.beside()
		if p.plan.Dialect.Headers != nil {
			p.think(false)
		}
	case format.RoleCall:
		if p.plan.Callable && (!p.muted(at) || isSymbol && at >= p.mute) {
			p.openRegion(scan.Opening{Plan: p.plan.Plan, Marker: m.Text}, at, p.pos, isSymbol)
		}
	}
	p.blank, p.inWord, p.indent = true, false, 0
}

// think switches between thinking and visible text. White space on either side of the marker is
// layout.
func (p *Tolerant) think(on bool) {
	p.endThought(false)
	if p.thinking != on {
		// what opened code is text of what ends here, and the white space in it layout
		p.giveCodeBack()
	}
	p.turnTo(on)
	p.marked = on
}

// turnTo is think within code that a label or a step may have begun.
func (p *Tolerant) turnTo(on bool) {
	p.current().beside()
	if p.thinking != on {
		p.thinking, p.marked, p.quoting = on, false, quoting{}
	}
	p.current().beside()
}
