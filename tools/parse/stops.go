package parse

import (
	"strings"

	"tenon/tools/turn"
)

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
		e.emit(turn.Event{Kind: kind, Text: text})
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

// first is the stop that is complete first, and where it begins: -1 without one. Of those that end at one place it is the longest.
// So nothing that comes later changes what is found, however the text is cut.
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

// stopAt ends the visible text before a stop that the grammar has found: all that was kept back stands before it.
func (e *emitter) stopAt(found string) {
	if s := &e.content; s.began {
		s.layout = false // text would have followed
	}
	e.finish(&e.content)
	if e.stops.hit {
		return
	}
	e.flushStops()
	e.emit(turn.Event{Kind: turn.StopHit, Text: found})
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
