package openai

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

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
	BestOf        *int            `json:"best_of"`
	Stream        bool            `json:"stream"`
	StreamOptions *streamOptions  `json:"stream_options"`
	TTL           *float64        `json:"ttl"` // seconds
	Grammar       string          `json:"grammar"`
	JSONSchema    json.RawMessage `json:"json_schema"`

	TimingsPerToken bool `json:"timings_per_token"`

	samplingFields
}

type completion struct {
	ID      string             `json:"id"`
	Object  string             `json:"object"` // "text_completion"
	Created int64              `json:"created"`
	Model   string             `json:"model"`
	Choices []completionChoice `json:"choices"`
	Usage   optionalUsage      `json:"usage,omitzero"`
	Timings *wire.Timings      `json:"timings,omitempty"`
	*wire.Extra
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

// Completions serves POST /v1/completions. Several prompts are answered one after the other, their
// choices numbered on.
func (a API) Completions(w http.ResponseWriter, r *http.Request) {
	request, sent, prompts, err := decodeCompletion(r.Body)
	if err != nil {
		wire.WriteOpenAIError(w, chat.AsError(err))
		return
	}
	wire.SetIgnored(w, request.Ignored)
	request.CacheKey = chat.CallerKey(r.Context())
	request.Whole = !sent.Stream
	c := &completer{head: completion{ID: "cmpl-" + rand.Text(), Object: "text_completion", Created: time.Now().Unix(), Model: a.Service.Named(sent.Model)}, sent: sent, w: w, extra: a.Extra}
	if sent.Stream {
		c.out = sse.NewWriter(w)
		c.out.Beat(a.Heartbeat, c.beat)
		defer c.out.Close()
	}
	for i, p := range prompts {
		c.first = i * max(request.N, 1)
		request.Prompt = p.prompt
		if err := a.complete(r.Context(), request, p, c); err != nil {
			c.fail(err)
			return
		}
	}
	c.end()
}

// complete answers one prompt.
func (a API) complete(ctx context.Context, r chat.Request, p completionPrompt, c *completer) (err error) {
	c.echo = ""
	if c.sent.Echo {
		if c.echo, err = a.text(ctx, r.Model, p); err != nil {
			return err
		}
	}
	sink := chat.Sink(func(e chat.Event) error { c.add(e); return nil })
	switch {
	case c.out != nil:
		sink = wire.Streamed(c.w, c.out, c.add)
	case c.first == 0: // the prompts have their fields in common
		sink = wire.Announce(c.w, sink)
	}
	if n := c.sent.MaxTokens; n == nil || *n != 0 {
		return a.Service.Run(ctx, r, sink)
	}
	n, err := a.Service.Count(ctx, r)
	if err != nil {
		return err
	}
	err = sink(chat.Event{Kind: chat.Started, Model: r.Model})
	for i := range max(r.N, 1) {
		err = sink(chat.Event{Kind: chat.Finished, Choice: i, Finish: chat.Finish{Reason: chat.Length, Usage: chat.Usage{Prompt: n.N}}})
	}
	return err // a stream's errors stay
}

// text is what a prompt says; token ids are read by the model's vocabulary.
func (a API) text(ctx context.Context, model string, p completionPrompt) (string, error) {
	if ids := p.prompt[0].Tokens; len(ids) > 0 {
		return a.Service.Detokenize(ctx, model, ids)
	}
	return p.text, nil
}

// completer turns events into completions: chunks if the request streams, else a whole answer at
// the end.
type completer struct {
	head  completion
	sent  completionRequest
	w     http.ResponseWriter
	out   *sse.Writer // nil: a whole answer is wanted
	first int         // number of the running prompt's first choice
	begun int         // the same of the prompt whose answer has begun, for heartbeats
	echo  string      // what comes before the running prompt's answers
	said  []int       // of each choice, the characters so far, echo included
	usage chat.Usage
	extra func(model string, f chat.Finish) *wire.Extra // nil: nothing
}

// add takes an event.
func (c *completer) add(e chat.Event) {
	switch e.Kind {
	case chat.Started:
		c.head.Model, c.begun = e.Model, c.first
		n := 1
		if c.sent.N != nil {
			n = *c.sent.N
		}
		for i := range n {
			c.piece(c.first+i, completionChoice{Text: c.echo})
		}
	case chat.Text:
		c.piece(c.first+e.Choice, completionChoice{Text: e.Text, Logprobs: c.logprobs(c.first+e.Choice, e.Tokens)})
	case chat.Finished:
		reason := finishReason(e.Finish.Reason)
		prompt := c.usage.Prompt
		if e.Choice == 0 { // each prompt counts once
			prompt += e.Finish.Usage.Prompt
		}
		c.usage = c.usage.And(e.Finish.Usage)
		c.usage.Prompt = prompt
		if c.sent.TimingsPerToken {
			c.head.Timings = wire.EncodeTimings(e.Finish)
		}
		if c.extra != nil {
			c.head.Extra = c.extra(c.head.Model, e.Finish)
		}
		c.piece(c.first+e.Choice, completionChoice{FinishReason: &reason})
	}
}

// piece sends a chunk, or adds it to the whole answer.
func (c *completer) piece(index int, p completionChoice) {
	p.Index = index
	for len(c.said) <= index {
		c.said = append(c.said, 0)
	}
	c.said[index] += utf8.RuneCountInString(p.Text)
	if c.out != nil {
		if p.Text != "" || p.FinishReason != nil {
			c.chunk(p)
		}
		return
	}
	for len(c.head.Choices) <= index {
		c.head.Choices = append(c.head.Choices, completionChoice{Index: len(c.head.Choices)})
	}
	to := &c.head.Choices[index]
	to.Logprobs = joinLogprobs(to.Logprobs, p.Logprobs)
	to.Text += p.Text
	if p.FinishReason != nil {
		to.FinishReason = p.FinishReason
	}
}

func (c *completer) chunk(p completionChoice) {
	chunk := c.head
	chunk.Choices = []completionChoice{p}
	c.out.Event("", chunk)
}

// logprobs are those of the tokens that come next in a choice. Offsets count characters from the
// beginning of its text.
func (c *completer) logprobs(index int, tokens []engine.Token) *completionLogprobs {
	if c.sent.Logprobs == nil {
		return nil
	}
	out := &completionLogprobs{}
	offset := 0
	if index < len(c.said) {
		offset = c.said[index]
	}
	for i, p := range wire.EncodeLogprobs(tokens) {
		out.Tokens = append(out.Tokens, p.Token)
		out.TokenLogprobs = append(out.TokenLogprobs, p.Logprob)
		out.TextOffset = append(out.TextOffset, offset)
		for _, b := range tokens[i].Bytes {
			if utf8.RuneStart(b) { // a character may be of several tokens
				offset++
			}
		}
		top := map[string]float32{}
		for _, other := range p.Top {
			top[other.Token] = other.Logprob
		}
		out.TopLogprobs = append(out.TopLogprobs, top)
	}
	return out
}

// joinLogprobs appends b. Either may be nil.
func joinLogprobs(a, b *completionLogprobs) *completionLogprobs {
	if b == nil {
		return a
	}
	if a == nil {
		a = &completionLogprobs{}
	}
	a.Tokens = append(a.Tokens, b.Tokens...)
	a.TokenLogprobs = append(a.TokenLogprobs, b.TokenLogprobs...)
	a.TopLogprobs = append(a.TopLogprobs, b.TopLogprobs...)
	a.TextOffset = append(a.TextOffset, b.TextOffset...)
	return a
}

func (c *completer) fail(err error) {
	if c.out != nil {
		endStream(c.w, c.out, err)
		return
	}
	wire.WriteOpenAIError(c.w, chat.AsError(err))
}

func (c *completer) end() {
	if c.out == nil {
		c.head.Usage = optionalUsage{true, encodeUsage(c.usage)}
		wire.WriteJSON(c.w, http.StatusOK, c.head)
		return
	}
	c.out.End()
	if o := c.sent.StreamOptions; o != nil && o.IncludeUsage {
		chunk := c.head
		chunk.Choices, chunk.Usage = []completionChoice{}, optionalUsage{true, encodeUsage(c.usage)}
		c.out.Event("", chunk)
	}
	c.out.Data(sse.Done)
}

// beat is the heartbeat: a chunk without text, for the choice that was begun last.
func (c *completer) beat() { c.chunk(completionChoice{Index: c.begun}) }
