package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tenon/engine"
	"tenon/engine/remote/chat"
)

// completions is OpenAI's text completion, /v1/completions. vLLM's has grammars and token ids; of
// others nothing is asked that OpenAI's does not have. vLLM masks logits in place before it reads
// logprobs off them, so none are told.
type completions struct {
	served
	vllm bool
	// writes the grammar into a request; nil: there are none
	grammar func(body map[string]any, text string)
}

// The fields of vLLM's that hold a grammar: since 0.12, and before.
var (
	structured = func(body map[string]any, text string) {
		body["structured_outputs"] = map[string]any{"grammar": text}
	}
	guided = func(body map[string]any, text string) { body["guided_grammar"] = text }
)

// vllm are the ways to speak to a vLLM. The probe finds out which it is: versions are not asked
// for, and a gateway would tell its own.
func vllm(s served) []api {
	return []api{&completions{served: s, vllm: true, grammar: structured}, &completions{served: s, vllm: true, grammar: guided}}
}

// describe implements api.
func (c *completions) describe(ctx context.Context) (engine.Model, error) {
	m, err := c.served.describe(ctx)
	if m.Can.Sampling = chat.OpenAISampling; c.vllm {
		m.Can.Mask, m.Can.Sampling = engine.PrintedMask, moreSampling
	}
	return m, err
}

// cut implements api.
func (c *completions) cut(ctx context.Context, text string) ([]int32, error) {
	if !c.vllm {
		return nil, errRefused
	}
	return c.served.cut(ctx, text)
}

// request implements api.
func (c *completions) request(t turn) (string, any) {
	body := map[string]any{
		"model": c.id, "prompt": t.Prompt.String(), "stream": true, "stream_options": map[string]any{"include_usage": true}, "max_tokens": c.room(t),
	}
	if t.Sampling.Seed != nil {
		body["seed"] = *t.Sampling.Seed
	}
	if !c.vllm {
		sampling(body, t.Sampling, chat.OpenAISampling)
		return "/v1/completions", body
	}
	sampling(body, t.Sampling, moreSampling)
	body["skip_special_tokens"], body["spaces_between_special_tokens"], body["cache_salt"] = false, false, t.salt()
	if t.ids != nil {
		body["prompt"], body["return_token_ids"], body["stop_token_ids"] = t.ids, true, t.ends
	}
	if bias := biases(t.Sampling); bias != nil {
		body["logit_bias"] = bias
	}
	if t.grammar != "" {
		c.grammar(body, t.grammar)
	}
	return "/v1/completions", body
}

// completionEvent is an event of /v1/completions.
type completionEvent struct {
	ID      string                `json:"id"`
	Choices []completionChoice    `json:"choices"`
	Usage   *chat.CompletionUsage `json:"usage"`
}

type completionChoice struct {
	Index  int     `json:"index"`
	Text   *string `json:"text"`
	IDs    []int32 `json:"token_ids"`
	Finish string  `json:"finish_reason"`
}

// completionReader reads the events of one answer.
type completionReader struct {
	turn   turn
	id     string
	events int
	steady bool // the events have one id
	said   said
	usage  engine.Usage
	reason engine.Reason // "": the answer goes on
}

// reader implements api.
func (c *completions) reader(t turn) func([]byte) (delta, error) {
	return (&completionReader{turn: t}).read
}

func (r *completionReader) read(data []byte) (delta, error) {
	if data == nil || string(data) == "[DONE]" {
		return r.end()
	}
	var in completionEvent
	if err := json.Unmarshal(data, &in); err != nil {
		return delta{}, fmt.Errorf("an event is not as expected: %w", err)
	}
	if err := r.same(in.ID); err != nil {
		return delta{}, err
	}
	if u := in.Usage.Usage(); u != nil {
		r.usage = *u
	}
	var d delta
	for _, choice := range in.Choices {
		if choice.Index != 0 || r.reason != "" {
			continue
		}
		var err error
		if d.tokens, err = r.take(choice); err != nil {
			return delta{}, err
		}
	}
	if d.ended = r.reason != ""; d.ended && in.Usage != nil {
		d.finish = &engine.Finish{Reason: r.reason, Usage: r.usage}
	}
	return d, nil
}

// same holds an event's id against those before: two answers may have been mixed up on their way.
// Servers that give each event an id of its own have told so with the second.
func (r *completionReader) same(id string) error {
	r.events++
	switch {
	case r.events == 1:
		r.id = id
	case r.events == 2 && !r.steady:
		r.steady = id == r.id
	case r.steady && id != r.id:
		return fmt.Errorf("the answer %q goes on as %q", r.id, id)
	}
	return nil
}

func (r *completionReader) take(choice completionChoice) ([]engine.Token, error) {
	if choice.Text == nil {
		return nil, errors.New("an event has no text")
	}
	var err error
	if r.reason, err = chat.Ending(choice.Finish); err != nil {
		return nil, err
	}
	if len(choice.IDs) == 0 || r.turn.ids == nil {
		if len(r.said.ids) > 0 {
			return nil, nil // the ids have said it
		}
		return r.text(*choice.Text, false, r.reason)
	}
	if r.reason != "" && r.said.wholeIDs(choice.IDs) {
		return nil, nil
	}
	r.said.ids = append(r.said.ids, choice.IDs...)
	r.said.pieces++
	tokens := make([]engine.Token, len(choice.IDs))
	for i, id := range choice.IDs {
		tokens[i].ID = id
	}
	return tokens, nil
}

// text is what is new of one. whole tells that it is all of the answer, and so may be one that
// comes with the answer's end.
func (r *completionReader) text(text string, whole bool, ends engine.Reason) ([]engine.Token, error) {
	text, err := r.said.newText(text, whole || ends != "" && r.said.wholeText(text))
	if text == "" || err != nil {
		return nil, err
	}
	r.said.pieces++
	return []engine.Token{chat.Text(text)}, nil
}

var errCutOff = errors.New("the stream ends before the answer")

// end is the end of the stream: the answer has come to its end before, or is cut off.
func (r *completionReader) end() (delta, error) {
	if r.reason == "" {
		return delta{}, errCutOff
	}
	return delta{finish: &engine.Finish{Reason: r.reason, Usage: r.usage}}, nil
}
