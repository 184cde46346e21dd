package lmstudio

import (
	"math"
	"testing"
	"time"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/chat/record"
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
		for _, s := range []Stats{m.Stats(), Measure(&record.Outcome{Finishes: []chat.Finish{f}}), Measure(&record.Outcome{})} {
			if math.IsNaN(s.TokensPerSecond) || math.IsInf(s.TokensPerSecond, 0) {
				t.Errorf("%+v: %v", f, s)
			}
		}
	}
}

// S3-12: the speed is that of the steps behind the first token, which comes with the prompt; of
// one token alone, all the time counts.
func TestMeter_theSpeedOfOneToken(t *testing.T) {
	for _, c := range []struct {
		tokens int
		decode time.Duration
		want   float64
	}{
		{0, 0, 0}, {1, 0, 0.5}, {1, 3 * time.Microsecond, 1 / 2.000003}, {2, time.Second, 1. / 1}, {11, 2 * time.Second, 5}, {5, 0, 2.5},
	} {
		f := chat.Finish{Usage: chat.Usage{Completion: c.tokens}, Timing: engine.Timing{Queue: time.Second, Prompt: time.Second, Decode: c.decode}}
		if got := OfFinish(f).TokensPerSecond; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d tokens, %s: %v, want %v", c.tokens, c.decode, got, c.want)
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
