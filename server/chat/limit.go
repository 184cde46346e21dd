package chat

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/templates"
	"tenon/tools"
)

// limit takes out of a request what an engine cannot do and tells which fields that were. What
// must not be left out is an *Error. most bounds the answer's tokens, 0: nothing does.
func limit(can engine.Can, r *Request, most int) (ignored []string, err error) {
	thought, unthought := thoughtOf(can, *r, most)
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
		why := "this model's engine keeps to none"
		if can.Asks(engine.ChatBudget) {
			why = "this model's upstream is asked for it where its rules let it, and nothing says that it obeys"
		}
		r.Thinking.Budget, ignored = 0, append(ignored, "the budget of thinking ("+why+")")
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
		ignored = append(ignored, unasked(can, *r, thought, unthought)...)
	}
	for _, piece := range r.Prompt {
		if len(piece.Tokens) > 0 && !can.IDs {
			return nil, unfit("prompt", "has token ids, which this model's engine does not take; send text")
		}
	}
	return ignored, nil
}

// unasked are the fields that the API of an upstream that chats has no words for, and those that
// its rules shut out: thought is what is asked of its thinking, and unthought why nothing is.
func unasked(can engine.Can, r Request, thought int, unthought string) (ignored []string) {
	open := thought == 0 && unthought == ""
	for _, f := range []struct {
		name, word string
		set        bool
	}{
		{"seed", engine.ChatSeed, r.Sampling.Seed != nil}, {"the effort of thinking", engine.ChatEffort, open && r.Thinking.Effort != ""},
		// which is as the upstream has it
		{"thinking", "", open && r.Thinking.Enabled != nil},
	} {
		if f.set && !can.Asks(f.word) {
			ignored = append(ignored, f.name+" (this model's upstream cannot be told)")
		}
	}
	if unthought != "" {
		ignored = append(ignored, "thinking (this model's upstream refuses it where "+unthought+")")
	}
	known := strings.Split(can.Sampling, ",")
	for _, f := range engine.SamplingFields {
		if _, set := f.Get(r.Sampling); set && thought != 0 && slices.Contains(known, f.Key) {
			ignored = append(ignored, f.Key+" (this model's upstream takes none while it thinks)")
		}
	}
	return ignored
}

// thoughtOf is what an upstream is asked of its thinking, see engine.Wishes. unthought says why it
// is asked nothing though the client wants it to think: by the rules of its API no call may be
// demanded then, no answer gone on with, and with a budget the thought before a call comes along
// with the call's results, bearing the upstream's signature, which is not kept.
func thoughtOf(can engine.Can, r Request, most int) (tokens int, unthought string) {
	t := r.Thinking
	off := t.Enabled != nil && !*t.Enabled
	decides, counts := can.Asks(engine.ChatThinks), can.Asks(engine.ChatBudget)
	switch {
	case off || t == Thinking{} || !decides && !counts:
		return 0, ""
	case r.Choice.Mode == tools.Required:
		return 0, "a call is demanded"
	case continued(r.Conversation):
		return 0, "an answer is gone on with"
	case decides:
		return -1, ""
	case hasCalled(r.Conversation):
		return 0, "the answer before had calls, and the thought before them is not sent along"
	}
	if tokens = t.Budget; tokens == 0 {
		tokens = effortShare(t.Effort) * cmp.Or(most, openAnswer) / 100
	}
	if tokens = max(tokens, engine.LeastThought); most > 0 {
		tokens = min(tokens, most-1)
	}
	if tokens < engine.LeastThought {
		return 0, fmt.Sprintf("the answer has at most %d tokens", engine.LeastThought)
	}
	return tokens, ""
}

// Efforts are the words for how much is to be thought, least first.
var Efforts = []string{"minimal", "low", "medium", "high", "xhigh", "max"}

// effortShare is how much of an answer the thinking may take, in per cent, as OpenRouter has it; a
// word that is none of Efforts means medium.
func effortShare(word string) int {
	switch word {
	case "minimal":
		return 10
	case "low":
		return 20
	case "high":
		return 80
	case "xhigh", "max":
		return 95
	}
	return 50
}

// openAnswer is the length, in tokens, that an answer without a limit is taken to have.
const openAnswer = 8192

// hasCalled tells whether the latest answer called tools.
func hasCalled(c templates.Conversation) bool {
	for _, m := range slices.Backward(c.Messages) {
		if m.Role == templates.Assistant {
			return len(m.Calls) > 0
		}
	}
	return false
}

// wishes are what an upstream that chats is asked for beside the conversation.
func wishes(can engine.Can, r Request, most int) engine.Wishes {
	w := engine.Wishes{OneCall: r.OneCall, Call: map[tools.Mode]string{tools.None: "none", tools.Required: "required"}[r.Choice.Mode]}
	if r.Choice.Mode == tools.Required && len(r.Choice.Names) == 1 {
		w.Tool = r.Choice.Names[0]
	}
	w.Thought, _ = thoughtOf(can, r, most)
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
