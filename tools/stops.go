package tools

import "strings"

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
func (e *emitter) emitText(kind EventKind, text string) {
	s := &e.stops
	if kind != Text || len(s.stops) == 0 {
		e.emit(Event{Kind: kind, Text: text})
		return
	}
	if s.hit {
		return
	}
	all := s.held + text
	at, found := -1, ""
	for _, t := range s.stops {
		if i := strings.Index(all, t); i >= 0 && (at < 0 || i < at || i == at && len(t) < len(found)) {
			at, found = i, t
		}
	}
	if at >= 0 {
		s.hit, s.held = true, ""
		e.emitNonEmpty(all[:at])
		e.emit(Event{Kind: StopHit, Text: found})
		return
	}
	keep := 0
	for _, t := range s.stops {
		keep = max(keep, overlap(all, t))
	}
	s.held = all[len(all)-keep:]
	e.emitNonEmpty(all[:len(all)-keep])
}

func (e *emitter) emitNonEmpty(text string) {
	if text != "" {
		e.emit(Event{Kind: Text, Text: text})
	}
}

func (e *emitter) flushStops() {
	e.emitNonEmpty(e.stops.held)
	e.stops.held = ""
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
