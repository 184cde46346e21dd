package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
	"tenon/tools/conform"
)

// Aid is what a call that runs may ask of the request it belongs to. All methods may be called
// from any goroutine, until the call ends.
type Aid interface {
	// Sample has the request's model answer a prompt, without tools. An error says why it does
	// not.
	Sample(ctx context.Context, p Prompt) (Sampled, error)
	// Elicit asks the client's user. Where nobody can be asked the question is declined.
	Elicit(ctx context.Context, message string, schema json.RawMessage) (chat.Reply, error)
}

// Prompt is what a tool asks the model.
type Prompt struct {
	System      string              `json:"system,omitempty"`
	Messages    []templates.Message `json:"messages"`
	Stops       []string            `json:"stops,omitempty"`
	Temperature *float32            `json:"temperature,omitempty"`
	MaxTokens   int                 `json:"max_tokens"`
	// prompts of the tool's source that one request answers
	Most int `json:"-"`
}

// Sampled is what the model answered.
type Sampled struct {
	Text, Model string
	Finish      chat.Finish
}

type aidKey struct{}

// WithAid gives a call what it may ask for.
func WithAid(ctx context.Context, a Aid) context.Context { return context.WithValue(ctx, aidKey{}, a) }

// AidOf is the context's aid, nil if there is none.
func AidOf(ctx context.Context) Aid {
	a, _ := ctx.Value(aidKey{}).(Aid)
	return a
}

// aids is what a request's calls have asked for so far.
type aids struct {
	// guards what follows; held while the model answers: one prompt at a time
	mu      sync.Mutex
	prompts map[string]int
	usage   chat.Usage // not yet counted with the rounds
}

// take is the usage since the last time.
func (a *aids) take() chat.Usage {
	if !a.mu.TryLock() { // a call that was left behind has the model answer still
		return chat.Usage{}
	}
	defer a.mu.Unlock()
	u := a.usage
	a.usage = chat.Usage{}
	return u
}

// aid helps one call.
type aid struct {
	loop  *loop
	call  settled
	entry Entry
	left  int // tokens that the model may write for it; 0: no limit
	ask   func(ctx context.Context, q chat.Question) error

	questions atomic.Int32 // so far
	declined  atomic.Bool  // one was, for want of somebody to ask
}

// aid makes the aid of a call. What it reads of the loop is read here: a call may be left behind.
func (l *loop) aid(s settled, e Entry, ask func(context.Context, chat.Question) error) *aid {
	a := &aid{loop: l, call: s, entry: e, ask: ask}
	used := l.finish.Usage.Completion
	for _, most := range []int{l.most, l.options.Limits.Tokens} {
		// the other half is for the answer
		if left := max((most-used)/2, 1); most > 0 && (a.left == 0 || left < a.left) {
			a.left = left
		}
	}
	return a
}

// Sample answers a prompt by the turn's own model and way. The conversation is the prompt's alone.
func (a *aid) Sample(ctx context.Context, p Prompt) (Sampled, error) {
	l := a.loop
	l.aids.mu.Lock()
	defer l.aids.mu.Unlock()
	if l.aids.prompts[a.call.Source] >= p.Most {
		return Sampled{}, fmt.Errorf("the model answers at most %d prompts of this server in one request", p.Most)
	}
	l.aids.prompts[a.call.Source]++
	r := chat.Request{
		Model: l.request.Model, Thinking: l.request.Thinking, Stops: p.Stops, Logprobs: -1, Whole: true,
		CacheKey: l.request.CacheKey, Forget: l.request.Forget,
	}
	r.Sampling.Temperature = p.Temperature
	r.MaxTokens = min(p.MaxTokens, cmp.Or(a.left, p.MaxTokens))
	if p.System != "" {
		r.Conversation.Messages = []templates.Message{{Role: templates.System, Text: p.System}}
	}
	r.Conversation.Messages = append(r.Conversation.Messages, p.Messages...)
	begun, got := time.Now(), chat.Collector{}
	err := l.service.Service.Run(ctx, r, got.Add)
	said := chat.Choice{}
	if all := got.Result().Choices; len(all) > 0 {
		said = all[0]
	}
	l.aids.usage = l.aids.usage.Plus(said.Finish.Usage)
	a.left = max(a.left-said.Finish.Usage.Completion, min(a.left, 1))
	return Sampled{said.Text, l.model, said.Finish}, a.record("sample", p, said.Text, begun, chat.AsErrorOrNil(err))
}

// of one call: a tool that asks without end floods neither user nor journal
const mostQuestions = 10

// Elicit sends the client a question and waits for its answer.
func (a *aid) Elicit(ctx context.Context, message string, schema json.RawMessage) (chat.Reply, error) {
	q := chat.Question{ID: "elic_" + rand.Text(), Message: message, Schema: schema}
	reply, begun := chat.Reply{Action: "decline"}, time.Now()
	if a.questions.Add(1) > mostQuestions {
		return reply, fmt.Errorf("at most %d questions are put in one call", mostQuestions)
	}
	if !a.loop.request.Hosted.CanElicit {
		a.declined.Store(true)
		return reply, a.record("question", q, reply.Action, begun, nil)
	}
	s, key, answer := a.loop.service, a.loop.caller.Key, make(chan chat.Reply, 1)
	s.asking.Put(key, q.ID, question{answer, q.Schema}, len(q.ID)+len(q.Message)+len(q.Schema))
	defer s.asking.Take(key, q.ID)
	err := a.ask(ctx, q)
	select {
	case reply = <-answer:
	case <-ctx.Done():
		reply.Action, err = "cancel", errors.New("nobody answered in time")
	}
	return reply, a.record("question", q, reply.Action, begun, err)
}

// record takes down what a call has asked for, between its start and its end.
func (a *aid) record(event string, asked any, answer string, begun time.Time, err error) error {
	e := a.entry
	e.Event, e.Outcome = event, &Outcome{Success: err == nil, Result: answer, Seconds: time.Since(begun).Seconds()}
	e.Arguments, _ = json.Marshal(asked) // texts and numbers
	if err != nil {
		e.Result, e.Error = "", new(err.Error())
	}
	return cmp.Or(err, a.loop.options.Journal.write(e))
}

// question is one that waits for its answer.
type question struct {
	answer chan<- chat.Reply
	schema json.RawMessage
}

// Answer gives a question of the caller's turn its answer. Where its content does not fit, the
// question waits on.
func (s *Service) Answer(ctx context.Context, id string, r chat.Reply) error {
	key := chat.CallerOf(ctx).Key
	q, ok := s.asking.Get(key, id)
	if !ok {
		return chat.Invalidf("id", "%q waits for no answer: it was answered, is too old, or is another key's", id)
	}
	switch r.Action {
	case "accept":
		r.Content = json.RawMessage(cmp.Or(string(r.Content), "{}"))
		object, _ := tools.Arguments(q.schema)
		if err := conform.Compile(object).Validate(r.Content); err != nil {
			return chat.Invalidf("content", "does not fit the question's schema: %v", err)
		}
	case "decline", "cancel":
	default:
		return chat.Invalidf("action", "is %q; expected accept, decline or cancel", r.Action)
	}
	if _, ok = s.asking.Take(key, id); ok { // else another answer has come meanwhile
		q.answer <- r
	}
	return nil
}
