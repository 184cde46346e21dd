//go:build cgo

package realtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"unicode/utf8"

	"tenon/engine"
	"tenon/engine/enginetest"
	"tenon/engine/enginetest/tinymodel"
	"tenon/engine/remote"
	"tenon/engine/worker"
	"tenon/engine/worker/native"
)

// double speaks as vLLM and SGLang do, as far as their sources say, with a real model behind it
// that keeps to the grammar it is sent.
type double struct {
	engine engine.Engine
	sglang bool
	// thinking, as vLLM with --reasoning-parser: grammars are left out without a word
	parses bool
}

// wanted is what both are asked for.
type wanted struct {
	Prompt   json.RawMessage `json:"prompt"` // or Text and IDs
	Text     string          `json:"text"`
	IDs      []int32         `json:"input_ids"`
	Tokens   int             `json:"max_tokens"`
	Logprobs *int            `json:"logprobs"`
	Heat     *float32        `json:"temperature"`
	Seed     *uint32         `json:"seed"`
	Bias     map[string]float32
	Outputs  struct {
		Grammar string `json:"grammar"`
	} `json:"structured_outputs"`
	Chosen struct {
		Tokens  int      `json:"max_new_tokens"`
		Grammar string   `json:"ebnf"`
		Heat    *float32 `json:"temperature"`
		Seed    *uint32  `json:"sampling_seed"`
		Bias    map[string]float32
	} `json:"sampling_params"`
}

func (w *wanted) UnmarshalJSON(b []byte) error {
	type plain wanted
	var bias struct {
		Own    map[string]float32 `json:"logit_bias"`
		Chosen struct {
			Own map[string]float32 `json:"logit_bias"`
		} `json:"sampling_params"`
	}
	err := errors.Join(json.Unmarshal(b, (*plain)(w)), json.Unmarshal(b, &bias))
	w.Bias, w.Chosen.Bias = bias.Own, bias.Chosen.Own
	return err
}

func (w *wanted) turn() engine.Turn {
	if w.Prompt != nil {
		// it is one of them
		_ = errors.Join(json.Unmarshal(w.Prompt, &w.IDs), json.Unmarshal(w.Prompt, &w.Text))
	}
	t := engine.Turn{Prompt: engine.Plain(w.Text), Logprobs: -1, Grammar: w.Outputs.Grammar, Budget: engine.Budget{Tokens: max(w.Tokens, w.Chosen.Tokens)}}
	if w.IDs != nil {
		t.Prompt = engine.Prompt{{Origin: engine.Kept, Tokens: w.IDs}}
	}
	t.Sampling.Temperature, t.Sampling.Seed, t.Sampling.LogitBias = w.Heat, w.Seed, biases(w.Bias)
	if w.Chosen.Tokens > 0 {
		t.Grammar = w.Chosen.Grammar
		t.Sampling.Temperature, t.Sampling.Seed, t.Sampling.LogitBias = w.Chosen.Heat, w.Chosen.Seed, biases(w.Chosen.Bias)
	}
	if w.Logprobs != nil {
		t.Logprobs = *w.Logprobs
	}
	return t
}

func biases(in map[string]float32) map[int32]float32 {
	out := map[int32]float32{}
	for text, v := range in {
		id, _ := strconv.Atoi(text) // zero is a token, too
		out[int32(id)] = v
	}
	return out
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	say := func(v any) { _ = json.NewEncoder(w).Encode(v) } // to a client that may have left
	switch r.URL.Path {
	case "/v1/models":
		owner := map[bool]string{false: "vllm", true: "sglang"}[d.sglang]
		say(map[string]any{"data": []any{map[string]any{"id": "tiny", "root": "tiny", "owned_by": owner, "max_model_len": d.engine.Model().Context}}})
	case "/tokenize":
		var in struct{ Prompt string }
		_ = json.NewDecoder(r.Body).Decode(&in) // it is ours
		ids, _ := d.engine.Tokens(r.Context(), engine.Prompt{{Origin: engine.Content, Text: in.Prompt}})
		if m := d.engine.Model(); m.Vocab.AddBOS {
			ids = ids[1:]
		}
		say(map[string]any{"tokens": ids})
	default:
		d.answer(w, r)
	}
}

func (d *double) answer(w http.ResponseWriter, r *http.Request) {
	var in wanted
	err := json.NewDecoder(r.Body).Decode(&in)
	t := in.turn()
	if d.parses {
		t.Grammar = ""
	}
	var s engine.Session
	if err == nil {
		s, err = d.engine.Open(r.Context(), t)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		// to a client that may have left
		_, _ = fmt.Fprintf(w, `{"error":{"message":%q}}`, err)
		return
	}
	defer func() { _ = s.Close() }() // it was only read
	out := stream{w: w, sglang: d.sglang}
	for {
		u, err := s.Next(r.Context())
		if err != nil {
			return
		}
		if u.Finish != nil {
			out.end(*u.Finish)
			return
		}
		if len(u.Tokens) > 0 {
			out.tokens(u.Tokens, t.Logprobs >= 0)
		}
	}
}

// stream writes an answer.
type stream struct {
	w      http.ResponseWriter
	sglang bool
	held   []byte // of a character that is not whole
	text   string
	ids    []int32
}

func (s *stream) event(v any) {
	b, _ := json.Marshal(v)                     // it is plain
	_, _ = fmt.Fprintf(s.w, "data: %s\n\n", b)  // to a client that may have left
	_ = http.NewResponseController(s.w).Flush() // the same
}

func (s *stream) tokens(all []engine.Token, probable bool) {
	var ids []int32
	logprobs := map[string]any{"tokens": []string{}, "token_logprobs": []float32{}, "top_logprobs": []any{}}
	name := func(id int32) string { return fmt.Sprint("token_id:", id) }
	for _, t := range all {
		ids = append(ids, t.ID)
		if t.Kind != engine.Symbol {
			s.held = append(s.held, t.Bytes...)
		}
		top := map[string]float32{name(t.ID): t.Logprob}
		for _, o := range t.Top {
			top[name(o.ID)] = o.Logprob
		}
		logprobs["tokens"] = append(logprobs["tokens"].([]string), name(t.ID))
		logprobs["token_logprobs"] = append(logprobs["token_logprobs"].([]float32), t.Logprob)
		logprobs["top_logprobs"] = append(logprobs["top_logprobs"].([]any), top)
	}
	text := ""
	if utf8.Valid(s.held) {
		text, s.held = string(s.held), nil
	}
	s.text, s.ids = s.text+text, append(s.ids, ids...)
	if s.sglang {
		s.event(map[string]any{"text": s.text, "output_ids": s.ids, "meta_info": map[string]any{"finish_reason": nil, "completion_tokens": len(s.ids)}})
		return
	}
	choice := map[string]any{"index": 0, "text": text, "token_ids": ids, "finish_reason": nil}
	if probable {
		choice["logprobs"] = logprobs
	}
	s.event(map[string]any{"id": "cmpl-1", "choices": []any{choice}})
}

func (s *stream) end(f engine.Finish) {
	reason, usage := string(f.Reason), f.Usage
	if s.sglang {
		s.event(map[string]any{"text": s.text, "output_ids": s.ids, "meta_info": map[string]any{
			"finish_reason": map[string]any{"type": reason}, "prompt_tokens": usage.Prompt, "completion_tokens": len(s.ids), "cached_tokens": usage.Cached,
		}})
		return
	}
	s.event(map[string]any{"id": "cmpl-1", "choices": []any{map[string]any{"index": 0, "text": "", "token_ids": []int32{}, "finish_reason": reason}}})
	s.event(map[string]any{"id": "cmpl-1", "choices": []any{}, "usage": map[string]any{
		"prompt_tokens": usage.Prompt, "completion_tokens": len(s.ids), "prompt_tokens_details": map[string]any{"cached_tokens": usage.Cached},
	}})
}

// fewer is an engine with as many slots as the model has; remote takes vLLM and chats to have
// many.
type fewer struct{ engine.Engine }

func (f fewer) Model() engine.Model {
	m := f.Engine.Model()
	m.Slots = 2
	return m
}

// The engine suite holds with vLLM's and SGLang's APIs between, by ids and by text; where grammars
// are left out, nothing is claimed of them.
func TestDouble_passesTheSuite(t *testing.T) {
	path := tinymodel.File(t, tinymodel.Options{Kind: tinymodel.FullAttention})
	load := func(o worker.Options) engine.Engine {
		o.Model = path
		e, err := native.Load(t.Context(), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	model := load(worker.Options{Context: 4096, Slots: 2, Queue: 64, Threads: 1})
	t.Cleanup(func() { _ = model.Close() })
	for name, d := range map[string]*double{
		"vLLM": {engine: model}, "SGLang": {engine: model, sglang: true}, "vLLM that parses thinking": {engine: model, parses: true},
	} {
		for how, local := range map[string]bool{"by ids": true, "by text": false} {
			if d.parses && !local {
				continue
			}
			t.Run(name+" "+how, func(t *testing.T) {
				s := httptest.NewServer(d)
				t.Cleanup(s.Close)
				enginetest.Run(t, enginetest.Subject{Open: func(t *testing.T) engine.Engine {
					o := remote.Options{Name: "tiny", URLs: []string{s.URL}, Log: slog.New(slog.DiscardHandler)}
					if local {
						o.Vocabulary = load(worker.Options{VocabOnly: true})
					}
					e, err := remote.Connect(t.Context(), o)
					if err != nil {
						t.Fatal(err)
					}
					if c := e.Model().Can; c.IDs != local || c.Mask != map[bool]engine.Mask{false: engine.PrintedMask, true: engine.NoMask}[d.parses] {
						t.Errorf("%+v", c)
					}
					return fewer{e}
				}})
			})
		}
	}
}
