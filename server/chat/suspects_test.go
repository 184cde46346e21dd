package chat

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/templates"
)

// Issue 19: a request that was running in two deaths of a worker is refused for a while; others
// run, and one that came to its end in between is not suspected.
func TestSuspects_aRequestOfTwoDeathsIsRefusedForAWhile(t *testing.T) {
	dies := enginetest.Reply{Err: engine.ErrWorkerLost}
	now := time.Now()
	s := &Service{Models: scripted{enginetest.Script(dies, enginetest.Say("fine"), dies, dies, enginetest.Say("another's"), enginetest.Say("again"))}, Now: func() time.Time { return now }}
	run := func(text string) error {
		r := request()
		r.Tools, r.Conversation.Messages[0].Text = nil, text
		r.Conversation.Messages = []templates.Message{{Role: templates.User, Text: text}}
		return s.Run(t.Context(), r, func(Event) error { return nil })
	}
	for i, c := range []struct {
		text string
		dies bool
	}{{"poison", true}, {"poison", false}, {"poison", true}, {"poison", true}} {
		if err := run(c.text); errors.Is(err, engine.ErrWorkerLost) != c.dies {
			t.Fatalf("turn %d: %v", i, err)
		}
	}
	var e *Error
	if err := run("poison"); !errors.As(err, &e) || e.Kind != Unavailable || e.RetryAfter != suspectFor || errors.Is(err, engine.ErrWorkerLost) {
		t.Errorf("%v", err)
	}
	if err := run("another"); err != nil {
		t.Error(err)
	}
	now = now.Add(suspectFor)
	if err := run("poison"); err != nil {
		t.Errorf("it stays refused: %v", err)
	}
}

func TestSuspects_areBounded(t *testing.T) {
	var s suspects
	now := time.Now()
	for i := range 3 * mostSuspects {
		p := planned{}
		s.ended(p.key(fmt.Sprint(i)), true, now)
	}
	if len(s.seen) > mostSuspects {
		t.Errorf("%d are remembered", len(s.seen))
	}
}
