package chat

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"tenon/engine"
	"tenon/templates"
	"tenon/tools"
)

// How what happens in a turn is written into its trace. replay.go reads it back.

// plan writes what was decided.
func (t *Trace) plan(p planned) {
	t.Grammar = p.turn.Grammar.Text
	if u := p.tools.Uncallable(); len(u) > 0 {
		t.Uncallable = u
	}
	t.Sampling = traceSampling(p.turn.Sampling)
	t.Budget = BudgetTrace{Tokens: p.turn.Budget.Tokens, Thinking: p.turn.Budget.Thinking}
	for _, i := range p.issues {
		t.Issues = append(t.Issues, IssueTrace{Tool: i.Tool, Pointer: i.Pointer, Keyword: i.Keyword, Action: fmt.Sprint(i.Action), Why: i.Why})
	}
	r := p.rendering
	t.Prompt = PromptTrace{Protocol: string(r.Protocol), Thinking: r.Thinking, Stops: r.Stops}
	for _, s := range r.Segments {
		t.Prompt.Segments = append(t.Prompt.Segments, SegmentOf(s))
	}
	for _, h := range r.Heals {
		t.Prompt.Heals = append(t.Prompt.Heals, HealTrace(h))
	}
	for _, piece := range p.turn.Prompt {
		if len(r.Segments) > 0 {
			t.Prompt.Kept += len(piece.Tokens)
			continue
		}
		// A text to be continued has no template: its pieces are what the client sent.
		t.Prompt.Segments = append(t.Prompt.Segments, SegmentTrace{Kind: templates.Content.String(), Text: piece.Text, Tokens: piece.Tokens})
	}
}

// traceSampling writes the settings that are set. They are texts: JSON has no infinity, which
// forbids a token.
func traceSampling(s engine.Sampling) map[string]string {
	out := map[string]string{}
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		f := v.Field(i)
		if f.IsZero() {
			continue
		}
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		out[v.Type().Field(i).Name] = fmt.Sprint(f.Interface())
	}
	return out
}

// SegmentOf is a piece of a prompt as records tell it.
func SegmentOf(s templates.Segment) SegmentTrace {
	out := SegmentTrace{Kind: s.Kind.String(), Text: s.Text}
	if s.Kind == templates.Content {
		out.Field, out.Message = s.Field.String(), &s.Message
	}
	return out
}

// open writes that a session was opened, or why not.
func (t *Trace) open(err error) *SessionTrace {
	s := &SessionTrace{}
	if err != nil {
		s.Refused = engine.FaultOf(err)
	}
	t.Sessions = append(t.Sessions, s)
	return s
}

// add writes what Next returned.
func (s *SessionTrace) add(u engine.Update, err error) {
	switch {
	case err != nil:
		s.Steps = append(s.Steps, Step{Error: engine.FaultOf(err)})
	case u.Progress != nil:
		p := ProgressTrace(*u.Progress)
		s.Steps = append(s.Steps, Step{Progress: &p})
	case u.Check != nil:
		c := CheckTrace(*u.Check)
		s.Steps = append(s.Steps, Step{Check: &c, Tokens: traceTokens(u.Tokens)})
	case u.Finish != nil:
		use := u.Finish.Usage
		s.Steps = append(s.Steps, Step{Finish: &FinishTrace{string(u.Finish.Reason), use.Prompt, use.Cached, use.Generated, use.Rewound}})
	default:
		s.Steps = append(s.Steps, Step{Tokens: traceTokens(u.Tokens)})
	}
}

func (s *SessionTrace) decide(v engine.Verdict) {
	s.Steps = append(s.Steps, Step{Verdict: &VerdictTrace{Rewind: v.Rewind, Offset: v.Offset, Grammar: v.Grammar.Text}})
}

func traceTokens(tokens []engine.Token) []TokenTrace {
	out := make([]TokenTrace, len(tokens))
	for i, t := range tokens {
		out[i] = traceToken(t)
	}
	return out
}

func traceToken(t engine.Token) TokenTrace {
	out := TokenTrace{ID: t.ID, Kind: tokenKinds[t.Kind]}
	if utf8.Valid(t.Bytes) {
		out.Text = string(t.Bytes)
	} else {
		out.Raw = t.Bytes
	}
	return out
}

var tokenKinds = map[engine.Kind]string{engine.Sampled: "sampled", engine.Forced: "forced", engine.Symbol: "symbol"}

func traceEvent(e Event) EventTrace {
	out := EventTrace{Kind: e.Kind.String(), Choice: e.Choice, Text: e.Text}
	switch e.Kind {
	case Progress:
		p := ProgressTrace(e.Progress)
		out.Progress = &p
	case CallStart, CallArguments, CallEnd:
		out.Call = traceCall(e.Call)
	case Finished:
		f := e.Finish
		out.Finish = &TurnEnd{
			Reason: f.Reason, StopText: f.StopText, Prompt: f.Usage.Prompt, Cached: f.Usage.Cached,
			Completion: f.Usage.Completion, Reasoning: f.Usage.Reasoning, Repairs: f.Repairs, Notes: f.Notes,
		}
		if f.Mending != (Mending{}) {
			out.Finish.Mending = &f.Mending
		}
	}
	return out
}

func traceCall(c tools.Call) *CallTrace {
	return &CallTrace{ID: c.ID, Index: c.Index, Name: c.Name, Namespace: c.Namespace, Arguments: string(c.Arguments), Input: c.Input}
}

// end writes the times and the failure.
func (t *Trace) end(o *Outcome) {
	t.Timings = Timings{Total: milliseconds(o.Took), FirstToken: milliseconds(o.FirstToken)}
	if len(o.Finishes) > 0 {
		in := o.Finishes[0].Timing
		t.Timings.Queue, t.Timings.Prompt = milliseconds(in.Queue), milliseconds(in.Prompt)
		t.Timings.Decode, t.Timings.Mask = milliseconds(in.Decode), milliseconds(in.Mask)
	}
	if o.Err != nil {
		t.Failure = &Failure{Kind: o.Err.Kind.String(), Field: o.Err.Field, Message: o.Err.Message}
	}
}
