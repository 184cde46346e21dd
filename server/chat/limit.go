package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/tools"
)

// limit takes out of a request what an engine cannot do and tells which fields that were. What
// must not be left out is an *Error.
func limit(can engine.Can, r *Request) (ignored []string, err error) {
	const unmasked = "this model's engine follows no grammar"
	place := cmp.Or(r.AnswerPlace.Field, "response_format")
	if can.Mask != engine.ExactMask && can.Mask != engine.PrintedMask {
		for i, t := range r.Tools {
			if t.Strict {
				return nil, unfit(r.Places.field(i, "strict"), unmasked+"; without strict a call is validated, and made again where it is wrong")
			}
		}
		switch a := r.Answer; {
		case a != nil && (r.AnswerPlace.Strict || a.Syntax == "gbnf"):
			return nil, unfit(place, unmasked)
		case a != nil:
			why := unmasked
			if can.Asks(engine.ChatFormat) {
				why = "this model's upstream is asked for it, and nothing says that it obeys"
			}
			ignored = append(ignored, fmt.Sprintf("%s (%s)", place, why))
			r.Answer = nil
		}
	}
	if r.Logprobs >= 0 && !can.Logprobs {
		r.Logprobs, ignored = -1, append(ignored, "logprobs (this model's engine tells none)")
	}
	if len(r.Sampling.LogitBias) > 0 && !can.IDs {
		r.Sampling.LogitBias, ignored = nil, append(ignored, "logit_bias (this model's engine takes no token ids)")
	}
	if r.Thinking.Budget > 0 && !can.Thinking {
		r.Thinking.Budget, ignored = 0, append(ignored, "the budget of thinking (this model's engine keeps to none)")
	}
	if known := strings.Split(can.Sampling, ","); can.Sampling != "" {
		for _, f := range engine.SamplingFields {
			if _, set := f.Get(r.Sampling); set && !slices.Contains(known, f.Key) {
				ignored = append(ignored, f.Key+" (this model's engine does not have it)")
			}
		}
	}
	if can.Chat != "" && r.Prompt != nil {
		return nil, unfit("prompt", "is a text to go on with, and this model's upstream takes conversations alone")
	}
	if can.Chat != "" {
		ignored = append(ignored, unasked(can, *r)...)
	}
	for _, piece := range r.Prompt {
		if len(piece.Tokens) > 0 && !can.IDs {
			return nil, unfit("prompt", "has token ids, which this model's engine does not take; send text")
		}
	}
	return ignored, nil
}

// unasked are the fields that the API of an upstream that chats has no words for.
func unasked(can engine.Can, r Request) (ignored []string) {
	for _, f := range []struct {
		name, word string
		set        bool
	}{
		{"seed", engine.ChatSeed, r.Sampling.Seed != nil}, {"the effort of thinking", engine.ChatEffort, r.Thinking.Effort != ""},
		{"thinking", "", r.Thinking.Enabled != nil}, // which is as the upstream has it
	} {
		if f.set && !can.Asks(f.word) {
			ignored = append(ignored, f.name+" (this model's upstream cannot be told)")
		}
	}
	return ignored
}

// wishes are what an upstream that chats is asked for beside the conversation.
func wishes(r Request) engine.Wishes {
	w := engine.Wishes{OneCall: r.OneCall, Call: map[tools.Mode]string{tools.None: "none", tools.Required: "required"}[r.Choice.Mode]}
	if r.Choice.Mode == tools.Required && len(r.Choice.Names) == 1 {
		w.Tool = r.Choice.Names[0]
	}
	switch a := r.Answer; {
	case a == nil:
	case a.Syntax == "json_schema":
		w.Format = json.RawMessage(a.Definition)
	case a.Syntax == "json_object":
		w.Format = json.RawMessage(`{"type":"object"}`)
	}
	return w
}

// weaker is what of the server's promises holds in a weaker form on an engine.
func weaker(can engine.Can) (all []string) {
	for _, g := range can.Guarantees() {
		if g.Weaker {
			all = append(all, g.Name+": "+g.Kept)
		}
	}
	return all
}

func unfit(field, message string) *Error {
	return &Error{Kind: NotSupportedHere, Field: field, Message: message}
}
