package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"time"

	"tenon/engine"
	"tenon/grammar"
)

var _ tokenizer = (*llamaServer)(nil)

// llamaServer is llama.cpp's own server: token ids in and out, GBNF.
type llamaServer struct{ *client }

// describe implements api.
func (c *llamaServer) describe(ctx context.Context) (m engine.Model, err error) {
	var props struct {
		Settings struct {
			Context int `json:"n_ctx"`
		} `json:"default_generation_settings"`
		Slots    int    `json:"total_slots"`
		Template string `json:"chat_template"`
		BOS      string `json:"bos_token"`
		EOS      string `json:"eos_token"`
	}
	var list struct {
		Data []struct {
			Meta struct {
				Vocabulary int   `json:"n_vocab"`
				Trained    int   `json:"n_ctx_train"`
				Width      int   `json:"n_embd"`
				Parameters int64 `json:"n_params"`
				Size       int64 `json:"size"`
			} `json:"meta"`
		} `json:"data"`
	}
	if err := c.call(ctx, "/props", nil, &props); err != nil {
		return m, err
	}
	if err := c.call(ctx, "/v1/models", nil, &list); err != nil {
		return m, err
	}
	if props.Settings.Context <= 0 || len(list.Data) == 0 {
		return m, fmt.Errorf("%w: %s does not say what it serves, as a llama-server does", errRefused, c.base.Host)
	}
	meta := list.Data[0].Meta
	return engine.Model{
		Description:    fmt.Sprintf("%d parameters, %d tokens, width %d, %d bytes", meta.Parameters, meta.Vocabulary, meta.Width, meta.Size),
		Parameters:     meta.Parameters,
		ContextTrained: meta.Trained, Context: props.Settings.Context, Slots: max(props.Slots, 1), Template: props.Template,
		Vocab: engine.Vocab{Size: meta.Vocabulary, BOS: props.BOS, EOS: props.EOS},
		Can:   engine.Can{IDs: true, Tokenizer: engine.RemoteTokenizer, Mask: engine.PrintedMask, Logprobs: true},
	}, nil
}

// target implements api.
func (c *llamaServer) target() grammar.Target { return grammar.GBNF }

// cut implements api.
func (c *llamaServer) cut(ctx context.Context, text string) ([]int32, error) {
	return c.tokenize(ctx, text, false, false)
}

// tokens implements tokenizer: trusted text may spell markers, content may not.
func (c *llamaServer) tokens(ctx context.Context, p engine.Prompt) ([]int32, error) {
	var ids []int32
	first := true
	for i := 0; i < len(p); {
		if p[i].Origin == engine.Kept {
			ids, i, first = append(ids, p[i].Tokens...), i+1, false
			continue
		}
		content, text := p[i].Origin == engine.Content, ""
		for ; i < len(p) && p[i].Origin != engine.Kept && (p[i].Origin == engine.Content) == content; i++ {
			text += p[i].Text
		}
		more, err := c.tokenize(ctx, text, first, !content)
		if err != nil {
			return nil, err
		}
		ids, first = append(ids, more...), false
	}
	if first {
		return c.tokenize(ctx, "", true, false)
	}
	if len(ids) > 1 && ids[0] == ids[1] { // the template has written BOS, too
		if bos, err := c.tokenize(ctx, "", true, false); err == nil && len(bos) == 1 && bos[0] == ids[0] {
			ids = ids[1:]
		}
	}
	return ids, nil
}

func (c *llamaServer) tokenize(ctx context.Context, text string, first, special bool) ([]int32, error) {
	var out struct {
		Tokens []int32 `json:"tokens"`
	}
	err := c.call(ctx, "/tokenize", map[string]any{"content": text, "add_special": first, "parse_special": special}, &out)
	return out.Tokens, err
}

// text implements tokenizer.
func (c *llamaServer) text(ctx context.Context, ids []int32) ([]byte, error) {
	var out struct {
		Content string `json:"content"`
	}
	err := c.call(ctx, "/detokenize", map[string]any{"tokens": ids}, &out)
	return []byte(out.Content), err
}

// symbols are a grammar's special tokens. Of others llama-server leaves out the text.
var symbols = regexp.MustCompile(`<\[([^\]\n]+)\]>`)

// request implements api.
func (c *llamaServer) request(t turn) (string, any) {
	body := map[string]any{
		"prompt": t.ids, "stream": true, "cache_prompt": !t.Forget, "return_tokens": true, "return_progress": true,
		"n_predict": cmp.Or(max(t.Budget.Tokens, 0), -1),
	}
	if t.grammar != "" {
		body["grammar"] = t.grammar
	}
	var preserved []string
	for _, m := range symbols.FindAllStringSubmatch(t.Grammar, -1) {
		preserved = append(preserved, m[1])
	}
	if len(preserved) > 0 {
		body["preserved_tokens"] = preserved
	}
	if t.Logprobs >= 0 {
		body["n_probs"] = max(t.Logprobs, 1)
	}
	for _, f := range engine.SamplingFields {
		if v, set := f.Get(t.Sampling); set {
			body[f.Key] = v
		}
	}
	if t.Sampling.DRYBreakers != nil {
		body["dry_sequence_breakers"] = t.Sampling.DRYBreakers
	}
	if t.Sampling.Seed != nil {
		body["seed"] = *t.Sampling.Seed
	}
	var bias [][2]any
	for id, v := range t.Sampling.LogitBias {
		if math.IsInf(float64(v), -1) {
			bias = append(bias, [2]any{id, false})
			continue
		}
		bias = append(bias, [2]any{id, v})
	}
	if bias != nil {
		body["logit_bias"] = bias
	}
	return "/completion", body
}

// llamaEvent is an event of /completion.
type llamaEvent struct {
	Content  *string `json:"content"`
	Tokens   []int32 `json:"tokens"`
	Progress *struct {
		Total     int `json:"total"`
		Cached    int `json:"cache"`
		Processed int `json:"processed"`
	} `json:"prompt_progress"`
	Probabilities []llamaProbability `json:"completion_probabilities"`
	Stop          bool               `json:"stop"`
	StopType      string             `json:"stop_type"`
	Generated     int                `json:"tokens_predicted"`
	Prompt        int                `json:"tokens_evaluated"`
	Timings       struct {
		Cached   int     `json:"cache_n"`
		PromptMS float64 `json:"prompt_ms"`
		DecodeMS float64 `json:"predicted_ms"`
	} `json:"timings"`
}

type llamaProbability struct {
	ID      int32              `json:"id"`
	Bytes   []int              `json:"bytes"`
	Logprob float32            `json:"logprob"`
	Top     []llamaProbability `json:"top_logprobs"`
}

// reader implements api.
func (c *llamaServer) reader(t turn) func([]byte) (delta, error) {
	return func(data []byte) (delta, error) {
		var in llamaEvent
		if err := json.Unmarshal(data, &in); err != nil {
			return delta{}, fmt.Errorf("an event is no JSON: %w", err)
		}
		if in.Content == nil {
			return delta{}, fmt.Errorf("an event has no content: %.100q", data)
		}
		return in.delta(t), nil
	}
}

func (in llamaEvent) delta(t turn) (d delta) {
	if p := in.Progress; p != nil {
		d.progress = &engine.Progress{Total: p.Total, Cached: p.Cached, Evaluated: p.Processed}
	}
	// with progress comes a token that is none
	if *in.Content != "" || len(in.Tokens) > 0 && in.Progress == nil {
		token := engine.Token{ID: engine.NoID, Bytes: []byte(*in.Content)}
		if len(in.Tokens) == 1 {
			token.ID = in.Tokens[0]
		}
		if len(in.Probabilities) == 1 && t.Logprobs >= 0 {
			p := in.Probabilities[0]
			token.Logprob = p.Logprob
			for _, other := range p.Top[:min(len(p.Top), t.Logprobs)] {
				token.Top = append(token.Top, engine.Logprob{ID: other.ID, Bytes: bytesOf(other.Bytes), Logprob: other.Logprob})
			}
		}
		d.tokens = []engine.Token{token}
	}
	if in.Stop {
		ms := func(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }
		d.finish = &engine.Finish{
			Reason: engine.Stop,
			Usage:  engine.Usage{Prompt: in.Prompt, Cached: in.Timings.Cached, Generated: in.Generated},
			Timing: engine.Timing{Prompt: ms(in.Timings.PromptMS), Decode: ms(in.Timings.DecodeMS)},
		}
		if in.StopType == "limit" {
			d.finish.Reason = engine.Length
		}
	}
	return d
}

func bytesOf(in []int) []byte {
	out := make([]byte, len(in))
	for i, b := range in {
		out[i] = byte(b)
	}
	return out
}
