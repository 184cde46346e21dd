package lmstudio

import (
	"cmp"
	"time"

	"tenon/server/chat"
	"tenon/server/chat/record"
)

// Stats are the figures of a prediction. None of them is ever infinite or no number.
type Stats struct {
	StopReason      string
	StopString      string
	TokensPerSecond float64
	// from the request to the first text, thinking or call; 0: there was none
	FirstToken time.Duration
	Generation time.Duration // from there to the end
	Total      time.Duration
	Prompt     int // tokens
	Predicted  int // tokens, thinking and calls included
	Thinking   int // of those
}

// The reasons why a prediction ends, as LM Studio spells them.
const (
	EOSFound             = "eosFound"
	StopStringFound      = "stopStringFound"
	ToolCalls            = "toolCalls"
	MaxTokensReached     = "maxPredictedTokensReached"
	ContextLengthReached = "contextLengthReached"
	UserStopped          = "userStopped"
	ModelUnloaded        = "modelUnloaded"
)

// Meter measures a prediction while its events pass.
type Meter struct {
	begun, first time.Time
	finish       chat.Finish
	reason       string // "" is the finish's own
}

// NewMeter begins to measure, when the request comes in.
func NewMeter() *Meter { return &Meter{begun: time.Now()} }

// Add sees an event.
func (m *Meter) Add(e chat.Event) {
	switch e.Kind {
	case chat.Progress:
		m.finish.Usage.Prompt, m.finish.Usage.Cached = e.Progress.Total, e.Progress.Cached
	case chat.Text, chat.Reasoning, chat.CallStart:
		if m.first.IsZero() {
			m.first = time.Now()
		}
	case chat.Finished:
		m.finish = e.Finish
		return
	}
	m.finish.Usage.Completion += e.Count
	if e.Kind == chat.Reasoning {
		m.finish.Usage.Reasoning += e.Count
	}
}

// End says why a prediction ended that has no finish of its own: it was stopped from outside.
func (m *Meter) End(reason string) { m.reason = reason }

// Stats are the figures so far.
func (m *Meter) Stats() Stats {
	first := time.Duration(0)
	if !m.first.IsZero() {
		first = m.first.Sub(m.begun)
	}
	s := figures(m.finish, time.Since(m.begun), first)
	s.StopReason = cmp.Or(m.reason, s.StopReason)
	return s
}

// OfFinish are the figures of an answer by the engine's own clock.
func OfFinish(f chat.Finish) Stats {
	first := f.Timing.Queue + f.Timing.Prompt
	return figures(f, first+f.Timing.Decode, first)
}

// Measure are the figures of a turn that has ended.
func Measure(o *record.Outcome) Stats {
	f := chat.Finish{Reason: chat.Cancelled}
	if n := len(o.Finishes); n > 0 {
		f = o.Finishes[n-1]
	}
	return figures(f, o.Took, o.FirstToken)
}

// figures are those of an answer that took so long, and so long up to its first text. The speed is
// by the engine's own clock, where it has told of it.
func figures(f chat.Finish, total, first time.Duration) Stats {
	s := Stats{
		StopReason: stopReason(f), StopString: f.StopText, Total: total, FirstToken: first,
		Prompt: f.Usage.Prompt, Predicted: f.Usage.Completion, Thinking: f.Usage.Reasoning,
	}
	if first > 0 {
		s.Generation = total - first
	}
	// the prompt's end brings the first
	tokens, took := s.Predicted-1, cmp.Or(max(f.Timing.Decode, 0), s.Generation)
	if tokens < 1 || took <= 0 {
		tokens, took = s.Predicted, total // of one token alone nothing else was measured
	}
	if took > 0 {
		s.TokensPerSecond = float64(tokens) / took.Seconds()
	}
	return s
}

func stopReason(f chat.Finish) string {
	switch {
	case f.Reason == chat.StopSequence:
		return StopStringFound
	case f.Reason == chat.ToolCalls:
		return ToolCalls
	case f.Reason == chat.Length && f.Full:
		return ContextLengthReached
	case f.Reason == chat.Length:
		return MaxTokensReached
	case f.Reason == chat.Cancelled:
		return UserStopped
	default:
		return EOSFound
	}
}
