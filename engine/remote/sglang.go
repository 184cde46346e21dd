package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tenon/engine"
)

// sglang is SGLang's own /generate. Its logprobs are those after the mask, so none are told.
type sglang struct{ served }

// describe implements api.
func (c *sglang) describe(ctx context.Context) (engine.Model, error) {
	m, err := c.served.describe(ctx)
	m.Can.Mask, m.Can.Sampling = engine.PrintedMask, moreSampling
	return m, err
}

// request implements api.
func (c *sglang) request(t turn) (string, any) {
	chosen := map[string]any{"max_new_tokens": c.room(t), "skip_special_tokens": false, "spaces_between_special_tokens": false}
	sampling(chosen, t.Sampling, moreSampling)
	if t.Sampling.Seed != nil {
		chosen["sampling_seed"] = *t.Sampling.Seed
	}
	if t.grammar != "" {
		chosen["ebnf"] = t.grammar
	}
	if bias := biases(t.Sampling); bias != nil {
		chosen["logit_bias"] = bias
	}
	body := map[string]any{"stream": true, "extra_key": t.salt(), "sampling_params": chosen}
	if t.ids == nil {
		body["text"] = t.Prompt.String()
	} else {
		body["input_ids"], chosen["stop_token_ids"] = t.ids, t.ends
	}
	return "/generate", body
}

// sglangEvent is an event of /generate: all that was said until then, or what was said since the
// event before, as the server is set.
type sglangEvent struct {
	Text *string `json:"text"`
	IDs  []int32 `json:"output_ids"`
	Meta *struct {
		Finish *struct {
			Type    string `json:"type"`
			Message string `json:"message"`
			Status  int    `json:"status_code"`
		} `json:"finish_reason"`
		Prompt    int `json:"prompt_tokens"`
		Generated int `json:"completion_tokens"`
		Cached    int `json:"cached_tokens"`
	} `json:"meta_info"`
}

// reader implements api.
func (c *sglang) reader(t turn) func([]byte) (delta, error) {
	var before said
	return func(data []byte) (delta, error) {
		var in sglangEvent
		if data == nil || string(data) == "[DONE]" {
			return delta{}, errCutOff
		}
		if err := json.Unmarshal(data, &in); err != nil {
			return delta{}, fmt.Errorf("an event is not as expected: %w", err)
		}
		if in.Meta == nil {
			return delta{}, errors.New("an event has no meta_info")
		}
		return in.delta(t, &before)
	}
}

func (in sglangEvent) delta(t turn, before *said) (d delta, err error) {
	f := in.Meta.Finish
	if f != nil && f.Type == "abort" {
		if f.Status >= 400 && f.Status < 500 {
			return d, fmt.Errorf("%w: %.*s", errRefused, mostError, f.Message)
		}
		return d, fmt.Errorf("it gave the answer up: %.*s", mostError, f.Message)
	}
	ids, whole, err := before.newIDs(in.IDs, in.Meta.Generated)
	if err != nil {
		return d, err
	}
	switch {
	case t.ids != nil:
		for _, id := range ids {
			d.tokens = append(d.tokens, engine.Token{ID: id})
		}
	case in.Text != nil && (whole || len(ids) > 0 || len(in.IDs) == 0):
		text, err := before.newText(*in.Text, whole)
		if err != nil {
			return d, err
		}
		if text != "" {
			d.tokens = []engine.Token{{ID: engine.NoID, Bytes: []byte(text)}}
		}
	}
	if f != nil {
		d.finish = &engine.Finish{Reason: engine.Stop, Usage: engine.Usage{Prompt: in.Meta.Prompt, Cached: in.Meta.Cached, Generated: in.Meta.Generated}}
		if f.Type == "length" {
			d.finish.Reason = engine.Length
		}
	}
	return d, nil
}
