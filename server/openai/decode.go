package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"tenon/server/chat"
	"tenon/server/wire"
)

// others are the described fields that the structs do not have. What is not described either is
// accepted, has no effect, and is named in the answer's X-Tenon-Ignored header, as harmless fields
// are.
var others = wire.Others{
	Refused: map[string]string{
		"audio":              "this server writes text only",
		"web_search_options": "ask for a search as a tool of type mcp with server_label builtin",
	},
	Harmless: map[string]wire.Type{
		"metadata": wire.Object, "moderation": wire.Object, "prediction": wire.Object, "prompt_cache_key": wire.String, "prompt_cache_options": wire.Object,
		"prompt_cache_retention": wire.String, "safety_identifier": wire.String, "service_tier": wire.String, "store": wire.Boolean,
		"user": wire.String, "verbosity": wire.String,
	},
}

// decodeChat reads the body of a chat completion. Its errors are *chat.Error and name the field.
func decodeChat(body io.Reader) (r chat.Request, w chatRequest, err error) {
	ignored, err := wire.Decode(body, &w, others)
	if err == nil {
		r, err = w.turn(ignored)
	}
	return r, w, err
}

// turn says in neutral terms what w asks for.
func (w chatRequest) turn(ignored []string) (chat.Request, error) {
	r := chat.Request{Model: w.Model, OneCall: w.ParallelToolCalls != nil && !*w.ParallelToolCalls,
		Several: w.ParallelToolCalls != nil && *w.ParallelToolCalls, ToolFormat: w.ToolFormat, Ignored: ignored}
	r.Conversation.Args = w.ChatTemplateKwargs
	r.Hosted.CanAsk = w.Approvals != nil // who sends it knows how calls are approved
	r.Hosted.CanElicit = w.Elicitation && w.Stream
	for i, a := range w.Approvals {
		r.Hosted.Approvals = append(r.Hosted.Approvals, chat.Approval{ID: a.ID, Approve: a.Approve, Reason: a.Reason, Field: fmt.Sprintf("approvals[%d].id", i)})
	}
	if w.StreamOptions != nil && !w.Stream {
		r.Ignored = append(r.Ignored, "stream_options") // a whole answer tells its usage
	}
	for _, step := range []func(chatRequest, *chat.Request) error{limits, decodeSampling, thinking, modalities, decodeTools, decodeChoice, decodeFunctions, decodeAnswer, decodeMessages} {
		if err := step(w, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// mostTTL is a hundred years, in seconds: as a Go duration more is none.
const mostTTL = 100 * 365 * 24 * 3600

// limits decodes what bounds the answer.
func limits(w chatRequest, r *chat.Request) error {
	for _, most := range []struct {
		name  string
		value *int
	}{{"max_tokens", w.MaxTokens}, {"max_completion_tokens", w.MaxCompletionTokens}} {
		// the newer name counts
		if most.value == nil {
			continue
		}
		if n := *most.value; n < 1 && n != -1 {
			return chat.Invalidf(most.name, "is %d; expected at least 1, or -1 for no limit", n)
		}
		r.MaxTokens = max(*most.value, 0)
	}
	if w.N != nil {
		if *w.N < 1 || *w.N > maxChoices {
			return chat.Invalidf("n", "is %d; expected 1 to %d", *w.N, maxChoices)
		}
		r.N = *w.N
	}
	if w.TTL != nil {
		if !(*w.TTL >= 1 && *w.TTL <= mostTTL) {
			return chat.Invalidf("ttl", "is %g; expected seconds, from 1 to %d", *w.TTL, mostTTL)
		}
		r.TTL = time.Duration(*w.TTL * float64(time.Second))
	}
	r.Logprobs = -1
	if w.Logprobs {
		r.Logprobs = 0
	}
	if w.TopLogprobs != nil && !w.Logprobs {
		return chat.Invalidf("top_logprobs", "needs logprobs: true")
	}
	err := wire.TopLogprobs(w.TopLogprobs, &r.Logprobs)
	if err != nil {
		return err
	}
	r.Stops, err = stops(w.Stop)
	return err
}

// maxChoices is the public description's limit of n.
const maxChoices = 128

func stops(raw json.RawMessage) ([]string, error) {
	if wire.IsNull(raw) {
		return nil, nil
	}
	var many []string
	if one, isText, _, err := wire.TextOr(raw, &many, "stop", "strings"); err != nil {
		return nil, err
	} else if isText {
		many = []string{one}
	}
	return many, wire.Stops("stop", many)
}

func thinking(w chatRequest, r *chat.Request) error {
	if err := wire.Effort("reasoning_effort", w.ReasoningEffort, &r.Thinking); err != nil {
		return err
	}
	return wire.ThinkingBudget(w.ThinkingBudget, &r.Thinking)
}

// modalities refuses answers that are not text.
func modalities(w chatRequest, _ *chat.Request) error {
	for i, m := range w.Modalities {
		if m != "text" {
			return chat.Invalidf(fmt.Sprintf("modalities[%d]", i), "is %q; this server writes text only", m)
		}
	}
	return nil
}
