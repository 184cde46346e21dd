package responses

import (
	"testing"

	"tenon/server/chat"
)

// A heartbeat that comes when the response has ended, as while a slow reader takes the last event,
// says nothing.
func TestBeat_notAfterTheEnd(t *testing.T) {
	for name, end := range map[string]func(*builder){
		"finished": func(b *builder) { b.add(chat.Event{Kind: chat.Finished}) },
		"failed":   func(b *builder) { b.fail(&chat.Error{Message: "no"}) },
	} {
		var last string
		b := &builder{emit: func(e event) { last = e.Type }}
		b.beat()
		end(b)
		before, sent := last, b.sequence
		if b.beat(); last != before || b.sequence != sent {
			t.Errorf("%s: %s after %s", name, last, before)
		}
	}
}
