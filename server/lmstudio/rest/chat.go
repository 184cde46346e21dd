package rest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/sse"
	"tenon/server/wire"
	"tenon/templates"
)

// chatRequest is the body of POST /api/v1/chat.
type chatRequest struct {
	Model         string            `json:"model"`
	Input         json.RawMessage   `json:"input"` // a string, or parts
	System        string            `json:"system_prompt"`
	Integrations  []json.RawMessage `json:"integrations"`
	Stream        bool              `json:"stream"`
	Temperature   *float64          `json:"temperature"`
	TopP          *float64          `json:"top_p"`
	TopK          *int              `json:"top_k"`
	MinP          *float64          `json:"min_p"`
	RepeatPenalty *float64          `json:"repeat_penalty"`
	MaxTokens     *int              `json:"max_output_tokens"`
	Reasoning     string            `json:"reasoning"`
	Context       *int              `json:"context_length"`
	Store         *bool             `json:"store"` // nil: true
	Previous      string            `json:"previous_response_id"`
}

type inputPart struct {
	Type    string `json:"type"` // "message", "text", "image"
	Content string `json:"content"`
	DataURL string `json:"data_url"`
}

// decode says in neutral terms what is asked.
func (t *turn) decode(owner string) (err error) {
	p, r := t.asked, &t.request
	*r = chat.Request{CacheKey: owner, Logprobs: -1, Whole: !p.Stream}
	switch {
	case p.Model == "" && t.api.models.Default == "":
		return missing("model")
	case wire.IsNull(p.Input):
		return missing("input")
	}
	if err := p.integrations(r); err != nil {
		return err
	}
	if p.Previous != "" {
		past, ok := t.api.chats.Get(owner, p.Previous)
		if !ok {
			return chat.Invalidf("previous_response_id", "is %q, which was not stored, or is too old", p.Previous)
		}
		r.Conversation.Messages = slices.Clone(past)
	}
	if p.System != "" { // it takes the place of the earlier one
		r.Conversation.Messages = slices.DeleteFunc(r.Conversation.Messages, func(m templates.Message) bool { return m.Role == templates.System })
		r.Conversation.Messages = append([]templates.Message{{Role: templates.System, Text: p.System}}, r.Conversation.Messages...)
	}
	user, err := input(p.Input)
	if err != nil {
		return err
	}
	r.Conversation.Messages = append(r.Conversation.Messages, user)
	if err = p.settings(r, &t.context); err == nil {
		t.model, t.id, err = t.api.meant(p)
	}
	return err
}

// meant is the model that a request asks for, and the name of what answers: of the instance that
// is loaded, or else the model's.
func (a *API) meant(p chatRequest) (m lmstudio.Model, id string, err error) {
	name, err := a.models.Asked(p.Model)
	if err != nil {
		return m, "", err
	}
	if i, ok := a.models.FindLoaded(name); ok {
		m, id = i.Model, i.ID
	} else if m, err = a.models.Find(name); err != nil {
		return m, "", err
	} else {
		id = m.ID
	}
	if can := options(m); p.Reasoning != "" && !slices.Contains(can, p.Reasoning) {
		return m, "", chat.Invalidf("reasoning", "is %q; expected %s, which is what %s can", p.Reasoning, strings.Join(can, " or "), m.ID)
	}
	return m, id, nil
}

func input(raw json.RawMessage) (templates.Message, error) {
	m := templates.Message{Role: templates.User}
	if json.Unmarshal(raw, &m.Text) == nil {
		return m, nil
	}
	var parts []inputPart
	if err := known(wire.DecodePart(raw, &parts, "input")); err != nil {
		return m, err
	}
	if len(parts) == 0 {
		return m, chat.Invalidf("input", "is empty")
	}
	for i, part := range parts {
		if part.Type != "message" && part.Type != "text" {
			return m, &chat.Error{Kind: chat.NotSupportedHere, Field: fmt.Sprintf("input[%d].type", i), Message: fmt.Sprintf("is %q; this server reads text only", part.Type)}
		}
		m.Parts = append(m.Parts, templates.Part{Text: part.Content})
	}
	return m, nil
}

// settings decodes how the answer is to be made, and how long a context it needs.
func (p chatRequest) settings(r *chat.Request, context *int) error {
	if err := wire.Sampling(p, map[string]wire.Range{"temperature": {Min: 0, Max: 1}}, &r.Sampling); err != nil {
		return err
	}
	if p.Reasoning != "" {
		r.Thinking.Enabled = new(p.Reasoning != "off")
	}
	if p.Reasoning != "off" && p.Reasoning != "on" {
		r.Thinking.Effort = p.Reasoning
	}
	return decodeSizes(size{"max_output_tokens", p.MaxTokens, &r.MaxTokens}, size{"context_length", p.Context, context})
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
	t := &turn{api: a, meter: lmstudio.NewMeter()}
	err := read(w, r, &t.asked, nil)
	if err == nil {
		err = t.decode(chat.CallerKey(r.Context()))
	}
	if err == nil { // before a stream begins
		_, _, err = t.wanted(r.Context())
	}
	if err != nil {
		WriteError(w, err)
		return
	}
	if t.asked.Stream {
		t.out = sse.NewWriter(w)
		t.out.Beat(a.heartbeat, t.beat)
		defer t.out.Close()
	}
	out, err := t.run(r.Context())
	if t.out != nil {
		t.out.End() // behind the last part there is none to repeat
	}
	switch {
	case t.out == nil && err == nil:
		wire.WriteJSON(w, http.StatusOK, out)
	case t.out == nil:
		WriteError(w, err)
	case !chat.IsClientGone(err):
		if err != nil {
			t.emit("error", map[string]any{"error": encodeError(err).Error})
		}
		t.emit("chat.end", map[string]any{"result": out})
	}
}

// turn is a chat that is being answered. Its events come in the documented order: chat,
// model_load, prompt_processing, then reasoning and message as the model writes them, each from
// start to end.
type turn struct {
	api     *API
	asked   chatRequest
	request chat.Request
	context int // tokens that it needs; 0: any number
	model   lmstudio.Model
	id      string // of the instance
	meter   *lmstudio.Meter
	out     *sse.Writer // nil: a whole answer
	all     chat.Collector
	load    *float64
	open    string         // the part that has begun and not ended
	share   float64        // of the load, or of the prompt
	running map[string]any // the call that is executed; nil: none
}

// emit sends an event; the type stands in the data, too.
func (t *turn) emit(kind string, members map[string]any) {
	if t.out == nil {
		return
	}
	data := map[string]any{"type": kind}
	if strings.HasPrefix(kind, loading) {
		data["model_instance_id"] = t.id
	}
	maps.Copy(data, members)
	t.out.Event(kind, data)
}

// do takes a step between the heartbeats of a stream, which read what it writes.
func (t *turn) do(step func()) error {
	if t.out == nil {
		step()
		return nil
	}
	return t.out.Do(step)
}

// The parts of a stream.
const (
	loading = "model_load"
	reading = "prompt_processing"
)

// beat is the heartbeat: it repeats the last progress, or sends an empty piece of text; during
// a server-run call it repeats the arguments.
func (t *turn) beat() {
	switch {
	case t.open == loading, t.open == reading:
		t.emit(t.open+".progress", map[string]any{"progress": t.share})
	case t.running != nil:
		t.emit("tool_call.arguments", t.running)
	case t.open == "": // behind a call its result is read
		t.begin(reading, nil)
	default:
		t.emit(t.open+".delta", map[string]any{"content": ""})
	}
}

// progress says how far a part is.
func (t *turn) progress(part string, share float64) {
	if t.open == part {
		t.share = min(share, 1)
		t.beat()
	}
}

func (t *turn) run(ctx context.Context) (answer, error) {
	t.emit("chat.start", map[string]any{"model_instance_id": t.id})
	err := t.ensure(ctx)
	if err == nil {
		t.request.Model = t.id
		err = t.do(func() { t.begin(reading, nil) })
	}
	if err == nil {
		if err = t.api.service.Run(ctx, t.request, t.add); err != nil {
			return t.finish(err), wire.OfInput(err)
		}
		err = t.do(func() { t.begin("", nil) })
	}
	return t.finish(err), err
}

// add takes an event. It is a chat.Sink.
func (t *turn) add(e chat.Event) error {
	t.meter.Add(e)
	_ = t.all.Add(e) // it never fails
	return t.do(func() {
		switch e.Kind {
		case chat.Progress:
			t.progress(reading, float64(e.Progress.Cached+e.Progress.Evaluated)/float64(max(e.Progress.Total, 1)))
		case chat.Text:
			t.begin("message", &e.Text)
		case chat.Reasoning:
			t.begin("reasoning", &e.Text)
		case chat.HostedStart, chat.HostedEnd:
			t.call(e)
		}
	})
}

// begin ends the open part if it is another, begins this one, and sends a piece of it.
func (t *turn) begin(part string, piece *string) {
	if t.open != part {
		switch t.open {
		case "":
		case loading:
			t.emit(loading+".end", map[string]any{"load_time_seconds": t.load})
		default:
			t.emit(t.open+".end", nil)
		}
		if t.open, t.share = part, 0; part != "" {
			t.emit(part+".start", nil)
		}
	}
	if piece != nil {
		t.emit(part+".delta", map[string]any{"content": *piece})
	}
}

// finish collects the answer, and keeps a chat that has one.
func (t *turn) finish(err error) answer {
	s := t.meter.Stats()
	out := answer{Instance: t.id, Output: []any{}, Stats: figures{s.Prompt, s.Predicted, s.Thinking, s.TokensPerSecond, s.FirstToken.Seconds(), t.load}}
	messages := t.request.Conversation.Messages
	for _, c := range t.all.Result().Choices {
		said := templates.Message{Role: templates.Assistant}
		for _, p := range c.Parts {
			switch p.Kind {
			case chat.Text:
				said.Text += p.Text
				out.Output = append(out.Output, outputText{"message", p.Text})
			case chat.Reasoning:
				said.Reasoning += p.Text
				out.Output = append(out.Output, outputText{"reasoning", p.Text})
			case chat.HostedEnd:
				said.Calls = []templates.Call{{ID: p.Call.ID, Name: p.Call.Name, Arguments: string(p.Call.Arguments)}}
				r := p.Hosted.Result
				messages = append(messages, said, templates.Message{Role: templates.ToolRole, CallID: p.Call.ID, Name: p.Call.Name, Text: r.Text, Failed: r.Failed})
				said = templates.Message{Role: templates.Assistant}
				out.Output = append(out.Output, called(p))
			}
		}
		messages = append(messages, said)
	}
	if err == nil && (t.asked.Store == nil || *t.asked.Store) {
		b := make([]byte, 24)
		_, _ = rand.Read(b) // it never fails
		out.ID = fmt.Sprintf("resp_%x", b)
		t.api.chats.Put(t.request.CacheKey, out.ID, messages, length(messages))
	}
	return out
}

// length is how many bytes messages hold.
func length(messages []templates.Message) (n int) {
	for _, m := range messages {
		n += len(m.Content()) + len(m.Reasoning)
		for _, call := range m.Calls {
			n += len(call.Arguments)
		}
	}
	return n
}
