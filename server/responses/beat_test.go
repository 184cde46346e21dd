package responses

import (
	"testing"

	"tenon/server/chat"
)

// A heartbeat that comes when the response has ended, as while a slow reader takes the last event,
// says nothing.
func TestBeat_notAfterTheEnd(t *testing.T) {
	for name, end := range map[string]func(*builder) error{
		"finished": func(b *builder) error { return b.Add(chat.Event{Kind: chat.Finished}) },
		"failed":   func(b *builder) error { return b.fail(&chat.Error{Message: "no"}) },
	} {
		var last string
		b := &builder{emit: func(e event) error { last = e.Type; return nil }}
		for _, do := range []func() error{b.beat, func() error { return end(b) }} {
			if err := do(); err != nil {
				t.Fatal(err)
			}
		}
		before, sent := last, b.sequence
		if err := b.beat(); err != nil || last != before || b.sequence != sent {
			t.Errorf("%s: %s after %s, %v", name, last, before, err)
		}
	}
}
