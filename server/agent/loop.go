package agent

import (
	"context"
	"slices"
	"strings"
	"time"

	"tenon/server/chat"
	"tenon/templates"
	"tenon/tools"
)

// loop is a turn in which the server executes tools.
type loop struct {
	service *Service
	options *Options
	set     toolset
	request chat.Request // of the round
	sink    chat.Sink
	caller  chat.Caller
	model   string // its id
	begun   time.Time
	most    int // tokens of output that the request allows; 0: no limit
	aids    *aids

	started bool           // the first round has
	calls   int            // of the client's tools, so far
	equal   map[string]int // executed calls, by tool and arguments
	repeats bool           // one was made too often
	late    bool           // the time for calls is over
	waits   bool           // one waits for approval
	finish  chat.Finish    // of all rounds so far
	context int            // tokens that the model has room for; 0: not yet asked
	used    int            // of those, at most, by the prompt of the next round
}

// round is what the model said in one.
type round struct {
	said   templates.Message
	own    []tools.Call // of the server's tools
	others int          // calls of the client's
	finish chat.Finish
}

func (l *loop) run(ctx context.Context) error {
	l.most = l.request.MaxTokens
	if err := l.resume(ctx); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if l.most > 0 {
			l.request.MaxTokens = l.most - l.finish.Usage.Completion
		}
		r, err := l.round(ctx)
		if over := chat.AsErrorOrNil(err); over != nil && n > 1 && chat.AsError(over).Kind == chat.TooLong {
			return l.end(chat.Length, true) // what was executed stays told
		}
		if err != nil {
			return err
		}
		l.finish = r.finish.Behind(l.finish)
		if len(r.own) == 0 {
			return l.sink(chat.Event{Kind: chat.Finished, Finish: l.finish})
		}
		l.request.Conversation.Messages = append(slices.Clip(l.request.Conversation.Messages), r.said)
		l.used = r.finish.Usage.Prompt + r.finish.Usage.Completion
		for i, call := range r.own {
			l.late = i > 0 && time.Since(l.begun) >= l.options.Limits.Time
			if err := l.call(ctx, call, len(r.own)-i); err != nil {
				return err
			}
		}
		switch l.finish.Limit = l.limit(n); {
		case r.others > 0:
			return l.end(chat.ToolCalls, false)
		case l.waits:
			return l.end(chat.Stop, false)
		case r.finish.Reason == chat.Length, l.most > 0 && l.finish.Usage.Completion >= l.most:
			return l.end(chat.Length, r.finish.Full)
		case l.finish.Limit == "time" && l.request.Hosted.CanPause:
			l.finish.Paused = true
			return l.end(chat.Stop, false)
		case l.finish.Limit != "":
			l.request.Choice = tools.Choice{Mode: tools.None}
		case l.request.Choice.Mode == tools.Required: // it has been met
			l.request.Choice.Mode = tools.Auto
		}
	}
}

// limit is the one that is met behind round n.
func (l *loop) limit(n int) string {
	most := l.options.Limits
	switch {
	case l.repeats:
		return "equal calls"
	case n >= most.Rounds:
		return "rounds"
	case most.Tokens > 0 && l.finish.Usage.Completion >= most.Tokens:
		return "tokens"
	case time.Since(l.begun) >= most.Time:
		return "time"
	}
	return ""
}

func (l *loop) end(reason chat.Reason, full bool) error {
	l.finish.Reason, l.finish.Full = reason, full
	return l.sink(chat.Event{Kind: chat.Finished, Finish: l.finish})
}

// round has the model answer once. What it says goes to the client, but for its calls of the
// server's tools and its end.
func (l *loop) round(ctx context.Context) (round, error) {
	r := round{said: templates.Message{Role: templates.Assistant}}
	var text, thinking strings.Builder
	own := map[int]bool{} // of the round's calls, by index
	err := l.service.Service.Run(ctx, l.request, func(e chat.Event) error {
		switch e.Kind {
		case chat.Started:
			return l.start(e)
		case chat.Progress:
			if l.finish.Usage.Prompt > 0 {
				return nil // the client knows of one prompt
			}
		case chat.Text:
			text.WriteString(e.Text)
		case chat.Reasoning:
			thinking.WriteString(e.Text)
		case chat.CallStart, chat.CallArguments, chat.CallEnd:
			if e.Kind == chat.CallStart {
				_, known := l.set.tools[e.Call.Name]
				own[e.Call.Index] = known && e.Call.Namespace == ""
			}
			if own[e.Call.Index] {
				if e.Kind == chat.CallEnd {
					r.own = append(r.own, e.Call)
				}
				return nil
			}
			if e.Call.Index = l.calls; e.Kind == chat.CallEnd {
				r.others++
				l.calls++
			}
		case chat.Finished:
			r.finish = e.Finish
			return nil
		}
		return l.sink(e)
	})
	r.said.Text, r.said.Reasoning = text.String(), thinking.String()
	for _, call := range r.own {
		r.said.Calls = append(r.said.Calls, templates.Call{ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)})
	}
	return r, err
}

// start begins the answer, once.
func (l *loop) start(e chat.Event) error {
	if l.started {
		return nil
	}
	l.started = true
	if err := l.set.noting(l.sink)(e); err != nil {
		return err
	}
	for _, list := range l.set.lists {
		if err := l.sink(chat.Event{Kind: chat.HostedList, Hosted: &list}); err != nil {
			return err
		}
	}
	return nil
}

// resume executes the calls that the client has approved, and tells the model of those that it has
// not.
func (l *loop) resume(ctx context.Context) error {
	if len(l.request.Hosted.Approvals) == 0 {
		return nil
	}
	var err error
	if l.used, l.context, err = l.service.Room(ctx, l.request); err != nil {
		return err // nothing is executed for a request that cannot be answered
	}
	all := make([]asked, len(l.request.Hosted.Approvals))
	for i, a := range l.request.Hosted.Approvals {
		var ok bool
		if all[i], ok = l.service.waiting.Take(l.caller.Key, a.ID); !ok {
			// the others wait on: none is executed for a request that is refused
			for _, w := range all[:i] {
				l.service.wait(l.caller.Key, w)
			}
			return chat.Invalidf(a.Field, "%q waits for no approval: it was answered, is too old, or is another key's", a.ID)
		}
	}
	if err := l.start(chat.Event{Kind: chat.Started, Model: l.service.Named(l.request.Model)}); err != nil {
		return err
	}
	for i, a := range l.request.Hosted.Approvals {
		if err := l.approved(ctx, all[i], a, len(all)-i); err != nil {
			return err
		}
	}
	return nil
}
