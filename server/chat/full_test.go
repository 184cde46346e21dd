package chat_test

import (
	"context"
	"testing"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/server/chat"
	"tenon/server/servertest"
)

// counting is an engine that tells how long the prompt is, as those with a model do.
type counting struct{ *enginetest.Scripted }

func (c counting) Open(ctx context.Context, t engine.Turn) (engine.Session, error) {
	s, err := c.Scripted.Open(ctx, t)
	if err != nil {
		return nil, err
	}
	ids, err := c.Tokens(ctx, t.Prompt)
	return &countingSession{Session: s, prompt: len(ids)}, err
}

type countingSession struct {
	engine.Session
	prompt int
}

func (s *countingSession) Next(ctx context.Context) (engine.Update, error) {
	if n := s.prompt; n > 0 {
		s.prompt = 0
		return engine.Update{Progress: &engine.Progress{Total: n}}, nil
	}
	return s.Session.Next(ctx)
}

func TestRun_tellsWhetherTheContextOrTheRequestEndedTheAnswer(t *testing.T) {
	for most, full := range map[int]bool{10: false, 5000: true, 0: true} {
		e := enginetest.Script(enginetest.Reply{Tokens: enginetest.Say("cut").Tokens, Reason: engine.Length})
		s := chat.Service{Models: servertest.Model{ID: "m", Engine: counting{e}}}
		var got chat.Finish
		err := s.Run(t.Context(), chat.Request{Model: "m", Prompt: engine.Plain("p"), MaxTokens: most, Logprobs: -1}, func(e chat.Event) error {
			got = e.Finish
			return nil
		})
		if err != nil || got.Reason != chat.Length || got.Full != full {
			t.Errorf("%d: %v, %+v", most, err, got)
		}
	}
}
