package templates

import "tenon/templates/jinja"

// WriteCalls is how a family of models writes the calls of a turn, behind its text. Arguments are
// JSON objects.
type WriteCalls func([]Call) []Written

// Written is a piece of what is written: text, or one marker.
type Written struct {
	Text   string
	Marker bool
}

// writeCalls puts calls into the text of their turns. Only markers that the family writes are any:
// names and arguments are the client's.
func writeCalls(h *healing) {
	if !h.probe.Written || h.protocol != Native {
		return
	}
	for i := range h.turns {
		t := &h.turns[i]
		if len(t.Calls) == 0 {
			continue
		}
		h.note(ruleWriteCalls, t.index, "")
		parts := []*jinja.Str{jinja.NewString("", jinja.Trusted)}
		for _, w := range h.write(t.Calls) {
			from := origin(t.index, FieldCall)
			if w.Marker {
				from = jinja.Trusted
			}
			parts = append(parts, jinja.NewString(w.Text, from))
		}
		t.more, t.Calls = jinja.Concat(parts...), nil
	}
}
