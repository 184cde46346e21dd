package parse

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"tenon/tools/peek"
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
	// a label said that the turn was over; what follows is read for a note alone
	over    bool
	repairs []turn.Repair
	notes   []turn.Note
	refused *turn.Refusal // by the latest step of a parser of text
	Looked  Outcome
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

// Refused implements Parser.
func (e *emitter) Refused() *turn.Refusal { return e.refused }

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

// next is a new event, whose call is yet to be set: events are large, and those that come with
// each token are written where they stay.
func (e *emitter) next(kind turn.EventKind, text string) *turn.Event {
	n := len(e.events)
	e.events = slices.Grow(e.events, 1)[:n+1]
	x := &e.events[n]
	x.Kind, x.Text = kind, text
	return x
}

// stream is one of the texts of a turn on its way out: the visible one or the thinking. It keeps
// back what may be layout (white space before a call), what may be the start of a character, and
// nothing else.
type stream struct {
	kind    turn.EventKind
	limit   int  // most white space to keep back
	began   bool // something has left
	layout  bool // the white space kept back stands beside a marker that stood for layout
	hold    []byte
	partial []byte // fewer than utf8.UTFMax bytes: the start of a character
	tail    []byte // the last bytes that left, to see markers that removal would put together
	seam    int    // how many bytes after a removal may still complete such a marker
}

// write sends text, but for white space at its end.
func (e *emitter) write(s *stream, text []byte) {
	if e.over {
		return
	}
	lead := peek.SkipSpace(text, 0)
	s.keep(e, text[:lead])
	text = text[lead:]
	n := len(text)
	for n > 0 && peek.IsSpace(text[n-1]) {
		n--
	}
	if n > 0 {
		if len(s.hold) > 0 && (s.began || !s.layout) {
			e.send(s, s.hold)
		}
		s.hold, s.layout = s.hold[:0], false
		e.send(s, text[:n])
	}
	s.keep(e, text[n:])
}

// keep holds white space back, as much of it as is allowed.
func (s *stream) keep(e *emitter, space []byte) {
	s.hold = append(s.hold, space...)
	switch over := len(s.hold) - s.limit; {
	case over <= 0:
	case s.layout: // beside calls it stays bounded
		s.hold = s.hold[:s.limit]
	default:
		e.send(s, s.hold[:over])
		s.hold = append(s.hold[:0], s.hold[over:]...)
	}
}

// cut tells the stream that something was removed here.
func (s *stream) cut(longest int) { s.seam = longest }

// beside tells the stream that a marker of layout stands here: white space around it is no text by
// itself.
func (s *stream) beside() { s.layout = true }

// layout tells both streams that a marker of layout stands here.
func (e *emitter) layout() {
	e.content.beside()
	e.reasoning.beside()
}

// finish sends what is left when nothing follows.
func (e *emitter) finish(s *stream) {
	if !s.layout {
		e.send(s, s.hold)
	}
	s.hold = s.hold[:0]
	if len(s.partial) > 0 {
		s.partial = s.partial[:0]
		e.emitText(s.kind, "\uFFFD")
	}
}

// send emits text as valid UTF-8.
func (e *emitter) send(s *stream, text []byte) {
	if len(text) == 0 {
		return
	}
	s.began = true
	if s.seam > 0 {
		text = e.mend(s, text)
	}
	s.tail = append(s.tail, text...)
	if over := len(s.tail) - e.plan.Longest; over > 0 {
		s.tail = append(s.tail[:0], s.tail[over:]...)
	}
	if len(s.partial) > 0 {
		text = append(s.partial, text...)
		s.partial = nil
	}
	whole := len(text) - peek.Incomplete(text)
	if whole > 0 {
		e.emitText(s.kind, e.arena.string(text[:whole]))
	}
	s.partial = append(s.partial[:0], text[whole:]...)
}

// plain sends text that lies outside of a buffer's order, without its markers.
func (e *emitter) plain(s *stream, text []byte) {
	for len(text) > 0 {
		m, a := e.plan.Markers.At(text, true)
		if a == peek.Yes {
			s.cut(e.plan.Longest)
			text = text[len(m.Text):]
			if m.TagEnd != "" {
				n, _ := tagEndAt(text, m.TagEnd, true)
				text = text[n:]
			}
			continue
		}
		n := 1
		for n < len(text) && !e.plan.Markers.Begin(text[n]) {
			n++
		}
		e.write(s, text[:n])
		text = text[n:]
	}
}

// mend leaves out the byte that would complete a marker across a removal.
func (e *emitter) mend(s *stream, text []byte) []byte {
	out := append([]byte(nil), s.tail...)
	from := len(out)
	for i, b := range text {
		if s.seam == 0 {
			out = append(out, text[i:]...)
			break
		}
		s.seam--
		if out = append(out, b); e.plan.Markers.EndsWith(out) {
			out = out[:len(out)-1]
		}
	}
	return out[from:]
}

// arena makes strings out of bytes with one allocation per few kilobytes rather than one each.
type arena struct{ b strings.Builder }

const arenaSize = 4096

func (a *arena) string(text []byte) string {
	if !utf8.Valid(text) {
		return strings.ToValidUTF8(peek.ReplaceInvalid(text), "\uFFFD")
	}
	if a.b.Cap()-a.b.Len() < len(text) {
		a.b = strings.Builder{}
		a.b.Grow(max(arenaSize, len(text)))
	}
	from := a.b.Len()
	a.b.Write(text)
	return a.b.String()[from:]
}

// stopper looks for stop strings in visible text. It keeps back what may be the start of one.
type stopper struct {
	stops []string
	held  string
	hit   bool
}

func newStopper(stops []string) stopper {
	var s stopper
	for _, t := range stops {
		if t != "" {
			s.stops = append(s.stops, t)
		}
	}
	return s
}

// emitText sends text, visible text up to a stop string.
func (e *emitter) emitText(kind turn.EventKind, text string) {
	s := &e.stops
	if kind != turn.Text || len(s.stops) == 0 {
		e.next(kind, text).Call = turn.Call{}
		return
	}
	if s.hit {
		return
	}
	all := s.held + text
	if at, found := s.first(all); at >= 0 {
		s.hit, s.held = true, ""
		e.emitNonEmpty(all[:at])
		e.emit(turn.Event{Kind: turn.StopHit, Text: found})
		return
	}
	keep := 0
	for _, t := range s.stops {
		keep = max(keep, overlap(all, t))
	}
	s.held = all[len(all)-keep:]
	e.emitNonEmpty(all[:len(all)-keep])
}

// first is the stop that is complete first, and where it begins: -1 without one. Of those that end
// at one place it is the longest. So nothing that comes later changes what is found, however the
// text is cut.
func (s *stopper) first(text string) (at int, found string) {
	at = -1
	for _, t := range s.stops {
		i := strings.Index(text, t)
		if i >= 0 && (at < 0 || i+len(t) < at+len(found) || i+len(t) == at+len(found) && i < at) {
			at, found = i, t
		}
	}
	return at, found
}

func (e *emitter) emitNonEmpty(text string) {
	if text != "" {
		e.emit(turn.Event{Kind: turn.Text, Text: text})
	}
}

// flushStops sends what was kept back because a stop might have begun there: none has.
func (e *emitter) flushStops() {
	e.emitNonEmpty(e.stops.held)
	e.stops.held = ""
}

// stopAt ends the visible text at a stop that the grammar has found. One that is complete before
// it counts, if the text ends in the beginning of it or it stands inside the one that was found.
func (e *emitter) stopAt(found string) {
	if s := &e.content; s.began {
		s.layout = false // text would have followed
	}
	e.finish(&e.content)
	e.emitText(turn.Text, found)
}

// overlap is the length of the longest end of text that stop starts with.
func overlap(text, stop string) int {
	for n := min(len(stop)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, stop[:n]) {
			return n
		}
	}
	return 0
}

// Outcome is what the latest look at a call's arguments gave.
type Outcome struct {
	Known bool
	Tool  int
	Args  json.RawMessage
	Err   error // nil: they are valid
}
