package record

import (
	"fmt"
	"reflect"
	"unicode/utf8"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/templates"
)

// How what happens in a turn is written into its trace. replay.go reads it back.

// plan writes what was decided.
func (t *Trace) plan(d chat.Decision) {
	t.Grammar = d.Turn.Grammar
	t.Sampling = traceSampling(d.Turn.Sampling)
	t.Budget, t.Issues = d.Turn.Budget, d.Issues
	r := d.Rendering
	t.Prompt = PromptTrace{Protocol: string(r.Protocol), Heals: r.Heals, Thinking: r.Thinking, Stops: r.Stops}
	for _, s := range r.Segments {
		t.Prompt.Segments = append(t.Prompt.Segments, SegmentOf(s))
	}
	for _, piece := range d.Turn.Prompt {
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
	for _, field := range reflect.VisibleFields(v.Type()) {
		f := v.FieldByIndex(field.Index)
		if field.Anonymous || f.IsZero() {
			continue
		}
		if f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		out[field.Name] = fmt.Sprint(f.Interface())
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
	step := Step{Progress: u.Progress, Tokens: traceTokens(u.Tokens), Check: u.Check, Finish: u.Finish}
	if err != nil {
		step = Step{Error: engine.FaultOf(err)}
	}
	s.Steps = append(s.Steps, step)
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
