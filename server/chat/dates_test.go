package chat

import (
	"fmt"
	"testing"
	"time"

	"tenon/templates"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// says is a conversation of a user's message.
func says(text string) templates.Conversation {
	return templates.Conversation{Messages: []templates.Message{{Role: templates.User, Text: text}}}
}

func TestDates_staysWhileTheConversationGrows(t *testing.T) {
	var d dates
	hi := templates.Message{Role: templates.User, Text: "Hi"}
	c := templates.Conversation{Messages: []templates.Message{{Role: templates.System, Text: "S"}, hi}}
	if got := d.of("k", c, noon); got != noon {
		t.Error(got)
	}
	c.Messages = append(c.Messages, templates.Message{Role: templates.Assistant, Text: "Hello."}, hi)
	at := noon
	for range 12 {
		at = at.Add(frozenIdle - time.Minute)
		if got := d.of("k", c, at); at.Sub(noon) < frozenAge && got != noon {
			t.Errorf("at %s: %s", at, got)
		} else if at.Sub(noon) >= frozenAge && got == noon {
			t.Errorf("at %s: still %s", at, got)
		}
	}
	if got := d.of("other key", c, at); got != at {
		t.Error("a conversation's date crosses keys")
	}
	if got := d.of("k", templates.Conversation{Messages: []templates.Message{hi}}, at); got != at {
		t.Error("another conversation has the same date")
	}
	later := at.Add(frozenIdle)
	if got := d.of("k", c, later); got != later {
		t.Error("a conversation that was left is taken up with its old date")
	}
}

// Issue 19: the table is bounded, and a caller who begins more conversations than it holds takes
// no date from another's.
func TestDates_aFloodOfConversationsTakesNobodysDate(t *testing.T) {
	var d dates
	for i := range 10 {
		d.of("quiet", says(fmt.Sprint(i)), noon)
	}
	later := noon.Add(time.Minute)
	for i := range 3 * frozenConversations {
		d.of("loud", says(fmt.Sprint(i)), later)
	}
	for i := range 10 {
		if got := d.of("quiet", says(fmt.Sprint(i)), later); got != noon {
			t.Errorf("conversation %d began anew at %s", i, got)
		}
	}
	if n := d.known.Size().Entries; n > frozenConversations {
		t.Errorf("%d conversations", n)
	}
}

// A turn of which nothing is kept has a key of its own: a flood of such turns would be a flood of
// callers.
func TestDates_whatIsForgottenKeepsNone(t *testing.T) {
	s := &Service{Now: func() time.Time { return noon }}
	r := s.dated(t.Context(), Request{Conversation: says("hi"), CacheKey: "its own", Forget: true})
	if r.Conversation.Now != noon || s.dates.known != nil {
		t.Errorf("%s, %+v", r.Conversation.Now, s.dates.known)
	}
}
