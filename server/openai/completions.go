package openai

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"tenon/engine"
	"tenon/server/chat"
	"tenon/server/sse"
	"tenon/server/wire"
)

// completionRequest is the body of POST /v1/completions.
type completionRequest struct {
	Model         string          `json:"model"`
	Prompt        json.RawMessage `json:"prompt"` // a string, token ids, or an array of either
	MaxTokens     *int            `json:"max_tokens"`
	N             *int            `json:"n"`
	Stop          json.RawMessage `json:"stop"`
	Logprobs      *int            `json:"logprobs"`
	Echo          bool            `json:"echo"`
	Suffix        *string         `json:"suffix"`
	Stream        bool            `json:"stream"`
	StreamOptions *streamOptions  `json:"stream_options"`
	Grammar       string          `json:"grammar"`
	JSONSchema    json.RawMessage `json:"json_schema"`

	samplingFields
}

type completion struct {
	ID      string             `json:"id"`
	Object  string             `json:"object"` // "text_completion"
	Created int64              `json:"created"`
	Model   string             `json:"model"`
	Choices []completionChoice `json:"choices"`
	Usage   *usage             `json:"usage,omitempty"`
}

type completionChoice struct {
	Index        int                 `json:"index"`
	Text         string              `json:"text"`
	Logprobs     *completionLogprobs `json:"logprobs"`
	FinishReason *string             `json:"finish_reason"`
}

type completionLogprobs struct {
	Tokens        []string             `json:"tokens"`
	TokenLogprobs []float32            `json:"token_logprobs"`
	TopLogprobs   []map[string]float32 `json:"top_logprobs"`
	TextOffset    []int                `json:"text_offset"`
}

// defaultCompletionTokens is the description's default of max_tokens.
const defaultCompletionTokens = 16

// completionPrompt is one prompt and its text for echo.
type completionPrompt struct {
	prompt engine.Prompt
	text   string
}

// Completions serves POST /v1/completions. Several prompts are answered one after the other, their choices numbered on.
func (a API) Completions(w http.ResponseWriter, r *http.Request) {
	request, sent, prompts, err := decodeCompletion(r.Body)
	if err != nil {
		wire.WriteOpenAIError(w, chat.AsError(err))
		return
	}
	wire.SetIgnored(w, request.Ignored)
	request.CacheKey = chat.CallerKey(r.Context())
	c := &completer{head: completion{ID: "cmpl-" + rand.Text(), Object: "text_completion", Created: time.Now().Unix()}, sent: sent, w: w}
	defer c.close()
	for i, p := range prompts {
		c.first, c.echo = i*max(request.N, 1), ""
		if sent.Echo {
			c.echo = p.text
		}
		request.Prompt = p.prompt
		if err := a.Service.Run(r.Context(), request, wire.Announce(w, c.Add)); err != nil {
			c.fail(chat.AsError(err))
			return
		}
	}
	c.end()
}

// otherCompletions are the described fields that the struct does not have.
var otherCompletions = wire.Others{
	Refused:  map[string]string{"best_of": "send n instead, and choose"},
	Harmless: map[string]wire.Type{"user": wire.String},
}

func decodeCompletion(body io.Reader) (chat.Request, completionRequest, []completionPrompt, error) {
	var w completionRequest
	ignored, err := wire.Decode(body, &w, otherCompletions)
	if err != nil {
		return chat.Request{}, w, nil, err
	}
	r := chat.Request{Model: w.Model, Ignored: ignored}
	if w.Model == "" {
		return r, w, nil, chat.NoModel()
	}
	if w.Suffix != nil {
		r.Suffix = *w.Suffix
	}
	like := chatRequest{N: w.N, MaxTokens: w.MaxTokens, Stop: w.Stop, Grammar: w.Grammar, JSONSchema: w.JSONSchema}
	if w.MaxTokens == nil {
		n := defaultCompletionTokens
		like.MaxTokens = &n
	}
	if n := w.Logprobs; n != nil {
		if *n < 0 || *n > 5 {
			return r, w, nil, chat.Invalidf("logprobs", "is %d; expected 0 to 5", *n)
		}
		like.Logprobs, like.TopLogprobs = true, n
	}
	for _, step := range []func() error{
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

func decodePrompts(raw json.RawMessage) ([]completionPrompt, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil && !wire.IsNull(raw) {
		return []completionPrompt{textPrompt(text)}, nil
	}
	var ids []int32
	if json.Unmarshal(raw, &ids) == nil && len(ids) > 0 {
		return []completionPrompt{{prompt: engine.Prompt{{Origin: engine.Kept, Tokens: ids}}}}, nil
	}
	var many []json.RawMessage
	if err := json.Unmarshal(raw, &many); err != nil || len(many) == 0 {
		return nil, chat.Invalidf("prompt", "expected a string, an array of token ids, or an array of either")
	}
	var out []completionPrompt
	for i, one := range many {
		var nested []json.RawMessage
		p, err := decodePrompts(one)
		if err != nil || len(p) != 1 || json.Unmarshal(one, &nested) == nil && p[0].prompt[0].Origin != engine.Kept {
			return nil, chat.Invalidf(fmt.Sprintf("prompt[%d]", i), "expected a string or an array of token ids")
		}
		out = append(out, p[0])
	}
	return out, nil
}

func textPrompt(text string) completionPrompt {
	return completionPrompt{prompt: engine.Plain(text), text: text}
}

// completer turns events into completions: chunks if the request streams, else a whole answer at the end.
type completer struct {
	head  completion
	sent  completionRequest
	w     http.ResponseWriter
	out   *sse.Writer
	first int    // number of the running prompt's first choice
	echo  string // what comes before the running prompt's answers
	usage usage
}

// Add takes an event. It is a chat.Sink.
func (c *completer) Add(e chat.Event) error {
	switch e.Kind {
	case chat.Started:
		c.head.Model = e.Model
		if c.sent.Stream && c.out == nil {
			c.out = sse.NewWriter(c.w, "")
		}
		return c.eachChoice(func(i int) error { return c.piece(i, completionChoice{Text: c.echo}) })
	case chat.Text:
		return c.piece(c.first+e.Choice, completionChoice{Text: e.Text, Logprobs: c.logprobs(e.Tokens)})
	case chat.Finished:
		reason := finishReason(e.Finish.Reason)
		prompt := c.usage.PromptTokens
		c.usage.add(e.Finish.Usage)
		if e.Choice == 0 { // each prompt counts once
			c.usage.PromptTokens += prompt
		} else {
			c.usage.PromptTokens = prompt
		}
		c.usage.TotalTokens = c.usage.PromptTokens + c.usage.CompletionTokens
		return c.piece(c.first+e.Choice, completionChoice{FinishReason: &reason})
	}
	return nil
}

func (c *completer) eachChoice(f func(int) error) error {
	n := 1
	if c.sent.N != nil {
		n = *c.sent.N
	}
	for i := range n {
		if err := f(c.first + i); err != nil {
			return err
		}
	}
	return nil
}

// piece sends a chunk, or adds it to the whole answer.
func (c *completer) piece(index int, p completionChoice) error {
	p.Index = index
	if c.out != nil {
		if p.Text == "" && p.FinishReason == nil {
			return nil
		}
		chunk := c.head
		chunk.Choices = []completionChoice{p}
		return c.out.Event("", chunk)
	}
	for len(c.head.Choices) <= index {
		c.head.Choices = append(c.head.Choices, completionChoice{Index: len(c.head.Choices)})
	}
	to := &c.head.Choices[index]
	to.Logprobs = joinLogprobs(to.Logprobs, p.Logprobs, len(to.Text))
	to.Text += p.Text
	if p.FinishReason != nil {
		to.FinishReason = p.FinishReason
	}
	return nil
}

func (c *completer) logprobs(tokens []engine.Token) *completionLogprobs {
	if c.sent.Logprobs == nil {
		return nil
	}
	out := &completionLogprobs{}
	offset := 0
	for _, t := range tokens {
		out.Tokens = append(out.Tokens, string(t.Bytes))
		out.TokenLogprobs = append(out.TokenLogprobs, t.Logprob)
		out.TextOffset = append(out.TextOffset, offset)
		offset += len(t.Bytes)
		top := map[string]float32{}
		for _, other := range t.Top {
			top[string(other.Bytes)] = other.Logprob
		}
		out.TopLogprobs = append(out.TopLogprobs, top)
	}
	return out
}

// joinLogprobs appends b, whose text begins at the offset. Either may be nil.
func joinLogprobs(a, b *completionLogprobs, offset int) *completionLogprobs {
	if b == nil {
		return a
	}
	if a == nil {
		a = &completionLogprobs{}
	}
	a.Tokens = append(a.Tokens, b.Tokens...)
	a.TokenLogprobs = append(a.TokenLogprobs, b.TokenLogprobs...)
	a.TopLogprobs = append(a.TopLogprobs, b.TopLogprobs...)
	for _, o := range b.TextOffset {
		a.TextOffset = append(a.TextOffset, offset+o)
	}
	return a
}

func (c *completer) fail(e *chat.Error) {
	switch {
	case c.out == nil:
		wire.WriteOpenAIError(c.w, e)
	case e.Kind != chat.ClientGone:
		_ = c.out.Event("", wire.EncodeOpenAIError(e)) // a reader that is gone cannot be told
	}
}

func (c *completer) end() {
	if c.out == nil {
		c.head.Usage = &c.usage
		wire.WriteJSON(c.w, http.StatusOK, c.head)
		return
	}
	if o := c.sent.StreamOptions; o != nil && o.IncludeUsage {
		chunk := c.head
		chunk.Choices, chunk.Usage = []completionChoice{}, &c.usage
		_ = c.out.Event("", chunk) // the end mark below meets the same error
	}
	_ = c.out.Data("[DONE]") // a reader that is gone cannot be told
}

// close waits for the reader of a stream. It runs however the turn ended.
func (c *completer) close() {
	if c.out != nil {
		c.out.Close()
	}
}
