package openai

import (
	"encoding/json"
	"fmt"
	"io"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/wire"
)

// otherCompletions are the described fields that the struct does not have.
var otherCompletions = wire.Others{
	Harmless: map[string]wire.Type{"user": wire.String},
}

func decodeCompletion(body io.Reader) (chat.Request, completionRequest, []completionPrompt, error) {
	var w completionRequest
	ignored, err := wire.Decode(body, &w, otherCompletions)
	if err != nil {
		return chat.Request{}, w, nil, err
	}
	r := chat.Request{Model: w.Model, Ignored: ignored}
	like := w.like()
	for _, step := range []func() error{
		func() error { return w.check(&r) },
		func() error { return limits(like, &r) },
		func() error { return w.samplingFields.decode(&r.Sampling) },
		func() error { return decodeAnswer(like, &r) },
	} {
		if err := step(); err != nil {
			return r, w, nil, err
		}
	}
	prompts, err := decodePrompts(w.Prompt)
	return r, w, prompts, err
}

// like is the chat request that has the same limits.
func (w completionRequest) like() chatRequest {
	out := chatRequest{TTL: w.TTL, N: w.N, MaxTokens: w.MaxTokens, Stop: w.Stop, Grammar: w.Grammar, JSONSchema: w.JSONSchema, Logprobs: w.Logprobs != nil, TopLogprobs: w.Logprobs}
	if n := defaultCompletionTokens; w.MaxTokens == nil {
		out.MaxTokens = &n
	} else if *w.MaxTokens == 0 { // the prompt alone is wanted, see complete
		out.MaxTokens = nil
	}
	return out
}

// check decodes what only completions have.
func (w completionRequest) check(r *chat.Request) error {
	if w.Suffix != nil {
		r.Suffix = *w.Suffix
	}
	if n := w.Logprobs; n != nil && (*n < 0 || *n > 5) {
		return chat.Invalidf("logprobs", "is %d; expected 0 to 5", *n)
	}
	if w.Logprobs != nil && w.Echo {
		return chat.Invalidf("logprobs", "cannot be combined with echo: it is not told how likely the prompt's own tokens are")
	}
	if best, n := w.BestOf, 1; best != nil {
		if w.N != nil {
			n = *w.N
		}
		if *best != n {
			return chat.Invalidf("best_of", "is %d; expected n, which is %d: send a larger n instead, and choose", *best, n)
		}
	}
	return nil
}

// decodePrompts reads each value once, however deep what a client sends is.
func decodePrompts(raw json.RawMessage) ([]completionPrompt, error) {
	if one, ok := decodePrompt(raw); ok {
		return []completionPrompt{one}, nil
	}
	var many []json.RawMessage
	if err := json.Unmarshal(raw, &many); err != nil || len(many) == 0 {
		return nil, chat.Invalidf("prompt", "expected a string, an array of token ids, or an array of either")
	}
	out := make([]completionPrompt, len(many))
	for i, raw := range many {
		one, ok := decodePrompt(raw)
		if !ok {
			return nil, chat.Invalidf(fmt.Sprintf("prompt[%d]", i), "expected a string or an array of token ids")
		}
		out[i] = one
	}
	return out, nil
}

// decodePrompt reads a text or token ids.
func decodePrompt(raw json.RawMessage) (p completionPrompt, ok bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil && !wire.IsNull(raw) {
		return textPrompt(text), true
	}
	var ids []int32
	if json.Unmarshal(raw, &ids) == nil && len(ids) > 0 {
		return completionPrompt{prompt: engine.Prompt{{Origin: engine.Kept, Tokens: ids}}}, true
	}
	return completionPrompt{}, false
}

func textPrompt(text string) completionPrompt {
	return completionPrompt{prompt: engine.Plain(text), text: text}
}
