package parse

import (
	"strings"
	"unicode/utf8"

	"tenon/tools/peek"
	"tenon/tools/turn"
)

// stream is one of the texts of a turn on its way out: the visible one or the thinking. It keeps back what may be layout
// (white space before a call), what may be the start of a character, and nothing else.
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

// beside tells the stream that a marker of layout stands here: white space around it is no text by itself.
func (s *stream) beside() { s.layout = true }

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
