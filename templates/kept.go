package templates

import "strings"

// Prompts keep what a model sampled as token ids rather than tokenizing its text again. Who keeps
// them finds the place by these: a prompt that begins with an earlier one goes on with the turn
// that was sampled then.

// TurnEnd is the byte of the prompt at which the assistant's message with that index is over:
// where the template writes the end of its turn. ok is false where the message is not one
// uninterrupted turn, as after rules that split it.
func (r Rendering) TurnEnd(message int) (end int, ok bool) {
	at, last := 0, -1
	for i, s := range r.Segments {
		if s.ofMessage() && s.Message == message {
			if last >= 0 && r.interrupted(last, i, message) {
				return 0, false
			}
			last, end = i, at+len(s.Text)
		}
		at += len(s.Text)
	}
	if last < 0 || r.turnEnd == "" {
		return 0, false
	}
	return r.findEnd(last+1, end)
}

// interrupted says whether another message's content stands between two segments.
func (r Rendering) interrupted(from, to, message int) bool {
	for _, s := range r.Segments[from:to] {
		if s.ofMessage() && s.Message != message {
			return true
		}
	}
	return false
}

// findEnd looks for the end of turn in what the template writes behind the turn's last content.
func (r Rendering) findEnd(from, at int) (int, bool) {
	var rest strings.Builder
	for _, s := range r.Segments[from:] {
		if s.Kind == Content {
			break
		}
		rest.WriteString(s.Text)
	}
	i := strings.Index(rest.String(), r.turnEnd)
	return at + i, i >= 0
}

// Slice returns the prompt's segments from byte from to byte to, the first and the last cut where
// need be.
func (r Rendering) Slice(from, to int) []Segment {
	var out []Segment
	at := 0
	for _, s := range r.Segments {
		i, j := max(from-at, 0), min(to-at, len(s.Text))
		at += len(s.Text)
		if i < j {
			if i > 0 || j < len(s.Text) {
				s.Text = s.Text[i:j]
				if s.Kind == Marker { // half a marker is none
					s.Kind = Text
				}
			}
			out = append(out, s)
		}
	}
	return out
}

// ofMessage says whether a message wrote the segment, rather than a tool's declaration or the
// template.
func (s Segment) ofMessage() bool { return s.Kind == Content && s.Field < FieldTool }
