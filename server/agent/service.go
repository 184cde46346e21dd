package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"time"

	"tenon/server/chat"
	"tenon/server/chat/owned"
	"tenon/tools"
)

// Options say what is executed, for whom, and how long. The zero value executes nothing.
type Options struct {
	Sources []Source // what the configuration offers
	// of the configuration's MCP servers: they stay theirs while a server is down
	Labels    []string
	Connector Connector // reaches servers that requests name; nil: none is reached
	Grants    []Grant   // who gets which tools; none: each request those that it asks for
	Limits    Limits
	Journal   *Journal                  // nil: none is kept
	Identify  func(model string) string // the id of the model that a name means; nil: the name
}

// Limits bound what one request may have executed. The zero value of each is its default.
type Limits struct {
	Rounds     int           // of calls, before a last one without tools
	Time       time.Duration // after which no more is called
	Tokens     int           // of output, after which no more is called; 0: no limit
	EqualCalls int           // of one tool with the same arguments
	Call       time.Duration // of one call whose tool has no limit of its own
}

// DefaultLimits are the limits where nothing else is said.
var DefaultLimits = Limits{Rounds: 10, Time: 5 * time.Minute, EqualCalls: 3, Call: time.Minute}

func (l Limits) or() Limits {
	return Limits{
		Rounds: cmp.Or(l.Rounds, DefaultLimits.Rounds), Time: cmp.Or(l.Time, DefaultLimits.Time), Tokens: l.Tokens,
		EqualCalls: cmp.Or(l.EqualCalls, DefaultLimits.EqualCalls), Call: cmp.Or(l.Call, DefaultLimits.Call),
	}
}

// Service runs turns, and executes what they call of the server's tools. Make it with New; all
// methods may be called from any goroutine.
type Service struct {
	*chat.Service
	options atomic.Pointer[Options]
	waiting *owned.Table[string, asked]    // by the id of the request for approval
	asking  *owned.Table[string, question] // by the id of the question
}

// asked is a call that waits for its client's approval.
type asked struct {
	call         tools.Call
	source, tool string
	parameters   json.RawMessage // of the tool when its call was shown
}

// wait keeps a call until its client answers.
func (s *Service) wait(key string, w asked) {
	s.waiting.Put(key, w.call.ID, w, len(w.call.ID)+len(w.call.Arguments)+len(w.parameters))
}

// mostWaiting bounds the calls that wait for approval, and the questions that wait for an answer.
var mostWaiting = owned.Size{Entries: 10_000, Bytes: 64 << 20}

// New returns a service that runs turns on s.
func New(s *chat.Service, o Options) *Service {
	made := &Service{Service: s, waiting: owned.New[string, asked](mostWaiting), asking: owned.New[string, question](mostWaiting)}
	made.Configure(o)
	return made
}

// Configure takes other options. Turns that run go on as they began.
func (s *Service) Configure(o Options) {
	o.Limits = o.Limits.or()
	s.options.Store(&o)
}

// Run runs a turn as chat.Service does, and executes its calls of the server's tools. Where ctx
// ends with a *chat.Error as its cause, the turn does, too: its client is there to be told.
func (s *Service) Run(ctx context.Context, r chat.Request, sink chat.Sink) error {
	err := s.run(ctx, r, sink)
	if ended := (*chat.Error)(nil); err != nil && errors.As(context.Cause(ctx), &ended) {
		return ended
	}
	return err
}

func (s *Service) run(ctx context.Context, r chat.Request, sink chat.Sink) error {
	o, model := s.options.Load(), s.identify(r.Model)
	set, err := o.choose(ctx, r, model)
	if err != nil {
		return chat.AsError(err)
	}
	if len(set.tools) == 0 && len(set.lists) == 0 && len(r.Hosted.Approvals) == 0 {
		return s.Service.Run(ctx, r, set.noting(sink))
	}
	if r.N > 1 {
		return chat.Invalidf("n", "is %d; where the server executes tools there is one choice", r.N)
	}
	l := &loop{service: s, options: o, set: set, request: set.declare(r), sink: sink, caller: chat.CallerOf(ctx), model: model, begun: time.Now(), equal: map[string]int{}, aids: &aids{prompts: map[string]int{}}}
	return chat.AsErrorOrNil(l.run(ctx))
}

// Count counts the prompt with the tools that the server adds.
func (s *Service) Count(ctx context.Context, r chat.Request) (chat.Tokens, error) {
	set, err := s.options.Load().choose(ctx, r, s.identify(r.Model))
	if err != nil {
		return chat.Tokens{}, chat.AsError(err)
	}
	return s.Service.Count(ctx, set.declare(r))
}

func (s *Service) identify(model string) string {
	o := s.options.Load()
	if model = s.Named(model); o.Identify == nil {
		return model
	}
	return o.Identify(model)
}
