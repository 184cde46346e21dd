package rest

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/sse"
	"tenon/server/wire"
	"tenon/templates"
)

// chatRequest is the body of POST /api/v1/chat.
type chatRequest struct {
	Model         string          `json:"model"`
	Input         json.RawMessage `json:"input"` // a string, or parts
	System        string          `json:"system_prompt"`
	Integrations  []any           `json:"integrations"`
	Stream        bool            `json:"stream"`
	Temperature   *float64        `json:"temperature"`
	TopP          *float64        `json:"top_p"`
	TopK          *int            `json:"top_k"`
	MinP          *float64        `json:"min_p"`
	RepeatPenalty *float64        `json:"repeat_penalty"`
	MaxTokens     int             `json:"max_output_tokens"`
	Reasoning     string          `json:"reasoning"`
	Context       int             `json:"context_length"`
	Store         *bool           `json:"store"` // nil: true
	Previous      string          `json:"previous_response_id"`
}

type inputPart struct {
	Type    string `json:"type"` // "message", "text", "image"
	Content string `json:"content"`
	DataURL string `json:"data_url"`
}

// decode says in neutral terms what is asked.
func (a *API) decode(p chatRequest, owner string) (chat.Request, error) {
	r := chat.Request{MaxTokens: p.MaxTokens, CacheKey: owner, Logprobs: -1, Whole: !p.Stream}
	switch {
	case p.Model == "" && a.models.Default == "":
		return r, missing("model")
	case wire.IsNull(p.Input):
		return r, missing("input")
	case len(p.Integrations) > 0:
		return r, &chat.Error{Kind: chat.NotSupportedHere, Field: "integrations", Message: "the server runs no tools; declare them in /v1/chat/completions or the SDK's act(), where the client does"}
	}
	if p.Previous != "" {
		past, ok := a.chats.get(p.Previous, owner)
		if !ok {
			return r, chat.Invalidf("previous_response_id", "is %q, which was not stored, or is too old", p.Previous)
		}
		r.Conversation.Messages = past
	}
	if p.System != "" {
		r.Conversation.Messages = append([]templates.Message{{Role: templates.System, Text: p.System}}, r.Conversation.Messages...)
	}
	user, err := input(p.Input)
	if err != nil {
		return r, err
	}
	r.Conversation.Messages = append(r.Conversation.Messages, user)
	return r, p.settings(&r)
}

func input(raw json.RawMessage) (templates.Message, error) {
	m := templates.Message{Role: templates.User}
	if json.Unmarshal(raw, &m.Text) == nil {
		return m, nil
	}
	var parts []inputPart
	if _, err := wire.DecodePart(raw, &parts, "input"); err != nil {
		return m, err
	}
	for i, part := range parts {
		switch part.Type {
		case "message", "text":
			m.Parts = append(m.Parts, templates.Part{Text: part.Content})
		default:
			return m, &chat.Error{Kind: chat.NotSupportedHere, Field: fmt.Sprintf("input[%d].type", i), Message: fmt.Sprintf("is %q; this server reads text only", part.Type)}
		}
	}
	return m, nil
}

func (p chatRequest) settings(r *chat.Request) error {
	s := &r.Sampling
	for _, n := range []wire.Number{
		{Name: "temperature", Value: p.Temperature, Max: 1, To: &s.Temperature}, {Name: "top_p", Value: p.TopP, Max: 1, To: &s.TopP},
		{Name: "min_p", Value: p.MinP, Max: 1, To: &s.MinP}, {Name: "repeat_penalty", Value: p.RepeatPenalty, Max: math.Inf(1), Above: true, To: &s.RepeatPenalty},
	} {
		if err := n.Decode(); err != nil {
			return err
		}
	}
	s.TopK = p.TopK
	on := p.Reasoning != "off"
	switch p.Reasoning {
	case "":
	case "on", "off":
		r.Thinking.Enabled = &on
	case "low", "medium", "high":
		r.Thinking.Enabled, r.Thinking.Effort = &on, p.Reasoning
	default:
		return chat.Invalidf("reasoning", "is %q; expected off, low, medium, high or on", p.Reasoning)
	}
	if p.MaxTokens < 0 || p.Context < 0 {
		return chat.Invalidf("max_output_tokens", "it and context_length must be positive")
	}
	return nil
}

// answer is the whole answer, and the result of the event chat.end.
type answer struct {
	Instance string  `json:"model_instance_id"`
	Output   []any   `json:"output"`
	Stats    figures `json:"stats"`
	ID       string  `json:"response_id,omitempty"`
}

type outputText struct {
	Type    string `json:"type"` // "message", "reasoning"
	Content string `json:"content"`
}

type figures struct {
	Input      int      `json:"input_tokens"`
	Output     int      `json:"total_output_tokens"`
	Thinking   int      `json:"reasoning_output_tokens"`
	PerSecond  float64  `json:"tokens_per_second"`
	FirstToken float64  `json:"time_to_first_token_seconds"`
	LoadTime   *float64 `json:"model_load_time_seconds,omitempty"`
}

// Chat serves POST /api/v1/chat.
func (a *API) Chat(w http.ResponseWriter, r *http.Request) {
	var p chatRequest
	err := read(r, &p)
	var request chat.Request
	if err == nil {
		request, err = a.decode(p, chat.CallerKey(r.Context()))
	}
	if err == nil {
		p.Model, err = a.models.Asked(p.Model)
	}
	if err != nil {
		WriteError(w, err)
		return
	}
	t := &turn{api: a, asked: p, request: request, meter: lmstudio.NewMeter()}
	if p.Stream {
		t.out = sse.NewWriter(w)
		t.out.Beat(a.heartbeat, t.beat)
		defer t.out.Close()
	}
	out, err := t.run(r.Context())
	switch {
	case err == nil && t.out == nil:
		wire.WriteJSON(w, http.StatusOK, out)
	case t.out == nil:
		WriteError(w, err)
	case err != nil && !chat.IsClientGone(err):
		_, body := encodeError(err)
		_ = t.emit("error", map[string]any{"error": body.Error}) // the end meets the same error
		_ = t.emit("chat.end", map[string]any{"result": out})    // a reader that is gone cannot be told
	case err == nil:
		_ = t.emit("chat.end", map[string]any{"result": out}) // as above
	}
}

// turn is a chat that is being answered. Its events come in the documented order: chat,
// model_load, prompt_processing, then reasoning and message as the model writes them, each from
// start to end.
type turn struct {
	api     *API
	asked   chatRequest
	request chat.Request
	meter   *lmstudio.Meter
	out     *sse.Writer // nil: a whole answer
	all     chat.Collector
	load    *float64
	open    string  // the part that has begun and not ended
	read    float64 // share of the prompt
}

// emit sends an event; the type stands in the data, too.
func (t *turn) emit(kind string, members map[string]any) error {
	if t.out == nil {
		return nil
	}
	data := map[string]any{"type": kind}
	for k, v := range members {
		data[k] = v
	}
	return t.out.Event(kind, data)
}

// beat says that the turn lives: what was said of its progress is said again.
func (t *turn) beat() error {
	return t.emit("prompt_processing.progress", map[string]any{"progress": t.read})
}

func (t *turn) run(ctx context.Context) (answer, error) {
	out := answer{Instance: t.asked.Model, Output: []any{}}
	if i, ok := t.api.models.FindLoaded(t.asked.Model); ok {
		out.Instance = i.ID
	}
	if err := t.emit("chat.start", map[string]any{"model_instance_id": out.Instance}); err != nil {
		return out, err
	}
	instance, err := t.ensure(ctx)
	if err != nil {
		return out, err
	}
	out.Instance, t.request.Model = instance.ID, instance.ID
	err = t.api.service.Run(ctx, t.request, t.add)
	if err == nil {
		err = t.begin("", nil)
	}
	return t.finish(out), err
}

// ensure loads the model if it is not.
func (t *turn) ensure(ctx context.Context) (lmstudio.Instance, error) {
	models := t.api.models
	if i, ok := models.FindLoaded(t.asked.Model); ok && (t.asked.Context == 0 || i.Context() >= t.asked.Context) {
		return i, nil
	}
	m, err := models.Find(t.asked.Model)
	if err != nil {
		return lmstudio.Instance{}, err
	}
	named := func() map[string]any { return map[string]any{"model_instance_id": m.ID} }
	if err := t.emit("model_load.start", named()); err != nil {
		return lmstudio.Instance{}, err
	}
	begun := time.Now()
	i, err := models.Load(ctx, fleet.Request{Name: m.ID, TTL: time.Hour, Settings: fleet.Settings{Context: t.asked.Context}, Progress: func(p fleet.Progress) {
		event := named()
		event["progress"] = p.Share
		_ = t.emit("model_load.progress", event) // what follows meets the same error
	}})
	if err != nil {
		return lmstudio.Instance{}, lmstudio.LoadError(err)
	}
	took := time.Since(begun).Seconds()
	t.load = &took
	event := named()
	event["load_time_seconds"] = took
	return models.Instance(i), t.emit("model_load.end", event)
}

// add takes an event. It is a chat.Sink.
func (t *turn) add(e chat.Event) error {
	t.meter.Add(e)
	_ = t.all.Add(e) // it never fails
	if t.out == nil {
		return nil
	}
	return t.out.Do(func() error { return t.tell(e) })
}

// tell sends the events of an event.
func (t *turn) tell(e chat.Event) error {
	switch e.Kind {
	case chat.Started:
		return t.begin("prompt_processing", nil)
	case chat.Progress:
		if t.open != "prompt_processing" {
			return nil
		}
		share := float64(e.Progress.Cached+e.Progress.Evaluated) / float64(max(e.Progress.Total, 1))
		t.read = min(share, 1)
		return t.beat()
	case chat.Text:
		return t.begin("message", &e.Text)
	case chat.Reasoning:
		return t.begin("reasoning", &e.Text)
	}
	return nil
}

// begin ends the open part if it is another, begins this one, and sends a piece of it.
func (t *turn) begin(part string, piece *string) error {
	if t.open != part {
		before := t.open
		t.open = part
		if before != "" {
			if err := t.emit(before+".end", nil); err != nil {
				return err
			}
		}
		if part != "" {
			if err := t.emit(part+".start", nil); err != nil {
				return err
			}
		}
	}
	if piece == nil {
		return nil
	}
	return t.emit(part+".delta", map[string]any{"content": *piece})
}

// finish collects the answer and keeps the chat.
func (t *turn) finish(out answer) answer {
	s := t.meter.Stats()
	out.Stats = figures{s.Prompt, s.Predicted, s.Thinking, s.TokensPerSecond, s.FirstToken.Seconds(), t.load}
	said := templates.Message{Role: templates.Assistant}
	for _, c := range t.all.Result().Choices {
		said.Text, said.Reasoning = c.Text, c.Reasoning
		for _, p := range c.Parts {
			kind := map[chat.EventKind]string{chat.Text: "message", chat.Reasoning: "reasoning"}[p.Kind]
			out.Output = append(out.Output, outputText{kind, p.Text})
		}
	}
	if t.asked.Store == nil || *t.asked.Store {
		b := make([]byte, 24)
		_, _ = rand.Read(b) // it never fails
		out.ID = "resp_" + hex.EncodeToString(b)
		t.api.chats.put(out.ID, t.request.CacheKey, append(t.request.Conversation.Messages, said))
	}
	return out
}
