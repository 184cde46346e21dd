package lmstudio

import (
	"math"
	"testing"
	"time"

	"tenon/engine"
	"tenon/server/chat"
)

// S3-11: the reason says whether it was the request's limit that was met, or the context's.
func TestMeter_reasons(t *testing.T) {
	for want, f := range map[string]chat.Finish{
		EOSFound:             {Reason: chat.Stop},
		StopStringFound:      {Reason: chat.StopSequence},
		MaxTokensReached:     {Reason: chat.Length},
		ContextLengthReached: {Reason: chat.Length, Full: true},
		ToolCalls:            {Reason: chat.ToolCalls},
		UserStopped:          {Reason: chat.Cancelled},
	} {
		m := NewMeter()
		m.Add(chat.Event{Kind: chat.Finished, Finish: f})
		if got := m.Stats().StopReason; got != want {
			t.Errorf("%+v is %s, want %s", f, got, want)
		}
	}
}

// S3-12: no figure is infinite or no number.
func TestMeter_figuresAreNumbers(t *testing.T) {
	for _, f := range []chat.Finish{{}, {Usage: chat.Usage{Completion: 1}}, {Usage: chat.Usage{Completion: 9}, Timing: engine.Timing{Decode: time.Second}}} {
		m := NewMeter()
		m.Add(chat.Event{Kind: chat.Finished, Finish: f})
		for _, s := range []Stats{m.Stats(), Measure(&chat.Outcome{Finishes: []chat.Finish{f}}), Measure(&chat.Outcome{})} {
			if math.IsNaN(s.TokensPerSecond) || math.IsInf(s.TokensPerSecond, 0) {
				t.Errorf("%+v: %v", f, s)
			}
		}
	}
}

// A prediction that is stopped has no finish: its figures are those of its events.
func TestMeter_countsWhatHasNoFinish(t *testing.T) {
	m := NewMeter()
	for _, e := range []chat.Event{
		{Kind: chat.Progress, Progress: engine.Progress{Total: 9, Cached: 2}}, {Kind: chat.Reasoning, Count: 3}, {Kind: chat.Text, Count: 2},
	} {
		m.Add(e)
	}
	m.End(UserStopped)
	if s := m.Stats(); s.Prompt != 9 || s.Predicted != 5 || s.Thinking != 3 || s.StopReason != UserStopped || s.FirstToken <= 0 {
		t.Errorf("%+v", s)
	}
}
