package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"tenon/server/chat"
	"tenon/server/chat/record"
	"tenon/templates"
	"tenon/tools"
	"tenon/tools/conform"
)

// call does what is to be done with one of the model's calls: it is executed, waits for approval,
// or is refused. left is how many of the round's calls have no result yet, this one included.
func (l *loop) call(ctx context.Context, call tools.Call, left int) error {
	t := l.set.tools[call.Name]
	if !t.ask {
		return l.settle(ctx, settled{offered: t, call: call, approver: "settings", left: left})
	}
	call.ID = "mcpr_" + call.ID
	l.service.wait(l.caller.Key, asked{call, t.Source, t.original(), t.Parameters})
	l.waits = true
	return l.sink(chat.Event{Kind: chat.HostedAsk, Call: call, Hosted: &chat.HostedCall{Source: t.Source, Tool: t.original(), Kind: t.kind}})
}

// approved executes a call that has waited, if its client approves it and the request still offers
// the tool.
func (l *loop) approved(ctx context.Context, w asked, a chat.Approval, left int) error {
	s := settled{call: w.call, approver: cmp.Or(l.caller.Name, "client"), approval: a.ID, left: left}
	s.offered = offered{Tool: Tool{Source: w.source, Original: w.tool}}
	for _, t := range l.set.tools {
		if t.Source == w.source && t.original() == w.tool {
			s.offered = t
		}
	}
	if s.Execute != nil && !bytes.Equal(s.Parameters, w.parameters) {
		s.refuse("refused", "the tool has changed since its call was shown to the user, so it was not executed. Call it again.")
	}
	if !a.Approve {
		s.refuse("refused", "the user did not approve this call. %s", a.Reason)
	}
	return l.settle(ctx, s)
}

// settled is a call on its way to a result.
type settled struct {
	offered
	call               tools.Call
	approver, approval string
	left               int
	result             chat.HostedResult
}

// refuse says why a call is not executed. The first reason counts.
func (s *settled) refuse(why, format string, args ...any) {
	if s.result.Why == "" {
		s.result.Why, s.result.Failed, s.result.Text = why, true, "Error: "+strings.TrimSpace(fmt.Sprintf(format, args...))
	}
}

// settle gives a call its result. An error is the client's leaving.
func (l *loop) settle(ctx context.Context, s settled) error {
	l.vet(&s)
	told := chat.HostedCall{Source: s.Source, Tool: s.original(), Kind: s.kind, Approval: s.approval}
	send := func(kind chat.EventKind) error {
		of := told
		return l.sink(chat.Event{Kind: kind, Call: s.call, Hosted: &of})
	}
	if err := send(chat.HostedStart); err != nil {
		return err
	}
	entry := l.entry(ctx, s)
	if s.result.Why == "" {
		if err := l.options.Journal.write(entry); err != nil {
			slog.ErrorContext(ctx, "the journal cannot be written", "error", err)
			s.refuse("error", "the server could not record this call, so it was not executed.")
		}
	}
	begun := time.Now()
	if s.result.Why == "" {
		l.execute(ctx, &s, entry, func(p step) error {
			if told.Question = p.question; p.question != nil {
				return send(chat.HostedQuestion)
			}
			told.Done, told.Total, told.Message = p.Done, p.Total, p.Message
			return send(chat.HostedProgress)
		})
	}
	s.result.Took, s.result.Approver = time.Since(begun), s.approver
	if ctx.Err() == nil {
		l.fold(ctx, &s)
	}
	// it has run; what can be done is to tell
	if err := l.options.Journal.end(entry, s.result); err != nil {
		slog.ErrorContext(ctx, "the journal cannot be written", "error", err)
	}
	l.finish.Usage = l.finish.Usage.Plus(l.aids.take())
	told.Done, told.Total, told.Message, told.Question, told.Result = 0, 0, "", nil, &s.result
	e := record.Execution{Model: l.model, Call: s.call, Hosted: told, Began: begun}
	if s.result.Why == "unknown" {
		e.Available = l.set.order
	}
	record.Executed(ctx, e)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("execute %s: %w", s.call.Name, err)
	}
	l.answer(s)
	return send(chat.HostedEnd)
}

// vet refuses what must not be executed, in words that let the model mend its call.
func (l *loop) vet(s *settled) {
	if s.Execute == nil {
		s.refuse("unknown", "there is no tool %q. There are: %s.", s.call.Name, cmp.Or(strings.Join(l.set.order, ", "), "none"))
		return
	}
	if l.late {
		s.refuse("timeout", "the time for calls is over, so this one was not made. Answer with what you have.")
	}
	schema, _ := tools.Arguments(s.Parameters)
	if err := conform.Compile(schema).Validate(s.call.Arguments); err != nil {
		s.refuse("invalid", "the arguments do not fit the tool: %v. Mend them and call again.", err)
	}
	key := s.Source + "/" + s.original() + " " + canonical(s.call.Arguments)
	if l.equal[key]++; l.equal[key] > l.options.Limits.EqualCalls {
		l.repeats = true
		s.refuse("repeated", "this call was made %d times with the same arguments, and is not made again. Answer with what you have.", l.equal[key]-1)
	}
}

// canonical is JSON that is the same for equal values.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	b, _ := json.Marshal(v) // it was just read
	return string(b)
}

// step is what a running tool has to tell the client.
type step struct {
	Progress
	question *chat.Question // nil: there is none
}

// execute runs the tool. It returns when the tool has, or at its limit: one that hangs is left
// behind.
func (l *loop) execute(ctx context.Context, s *settled, entry Entry, progress func(step) error) {
	most := cmp.Or(s.Timeout, l.options.Limits.Call)
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	type outcome struct {
		result Result
		err    error
	}
	ended, steps := make(chan outcome, 1), make(chan step)
	arguments := withDefaults(s.call.Arguments, s.Parameters)
	tell := func(ctx context.Context, p step) error {
		select {
		case steps <- p:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	helper := l.aid(*s, entry, func(ctx context.Context, q chat.Question) error { return tell(ctx, step{question: &q}) })
	go func() {
		var out outcome
		defer func() {
			if p := recover(); p != nil {
				slog.Error("a tool broke down", "tool", s.Name, "panic", p, "stack", string(debug.Stack()))
				out.err = errors.New("it broke down")
			}
			ended <- out
		}()
		out.result, out.err = s.Execute(WithAid(ctx, helper), arguments, func(p Progress) { _ = tell(ctx, step{Progress: p}) })
	}()
	for {
		select {
		case p := <-steps:
			if progress(p) != nil {
				cancel() // the client is gone; sending the result will say so
			}
		case out := <-ended:
			s.take(ctx, out.result, out.err, most)
			if helper.declined.Load() {
				s.result.Text = strings.TrimSpace(s.result.Text + "\n[The tool wanted to ask the user something. Nobody can be asked here, so it was declined.]")
			}
			return
		case <-ctx.Done():
			s.take(ctx, Result{}, ctx.Err(), most)
			return
		}
	}
}

// take makes what a tool returned what the model is told.
func (s *settled) take(ctx context.Context, r Result, err error, most time.Duration) {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		s.refuse("timeout", "the tool did not answer within %v. Ask it for less, or go on without it.", most)
	case errors.Is(err, context.Canceled):
		left := "the client left."
		if ended := (*chat.Error)(nil); errors.As(context.Cause(ctx), &ended) {
			left = ended.Message
		}
		s.refuse("cancelled", "%s", left)
	case err != nil:
		s.refuse("error", "the tool could not be run: %v", err)
	default:
		s.result = chat.HostedResult{Text: r.Text, Structured: r.Structured, Failed: r.Failed, Exit: r.Exit, Cut: r.Cut}
		if r.Text == "" && len(r.Structured) > 0 {
			s.result.Text = string(r.Structured)
		}
		if r.Failed { // no template but tenon's own tells a failure otherwise
			s.result.Text = failure(s.result.Text)
		}
	}
	s.result.Text = strings.ToValidUTF8(s.result.Text, "\uFFFD")
}

// failure is the text of a failed result: it begins with the word, so that the model knows it for
// one.
func failure(text string) string {
	const word = "error"
	if text = strings.TrimSpace(text); text == "" {
		text = "the tool failed and did not say why."
	}
	if len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) {
		return text
	}
	return "Error: " + text
}

// answer puts a result behind the call, and behind other results of the same message.
func (l *loop) answer(s settled) {
	all := &l.request.Conversation.Messages
	i := len(*all) - 1
	for ; i >= 0 && !slices.ContainsFunc((*all)[i].Calls, func(c templates.Call) bool { return c.ID == s.call.ID }); i-- {
	}
	if i < 0 {
		*all = append(slices.Clip(*all), templates.Message{Role: templates.Assistant, Calls: []templates.Call{{ID: s.call.ID, Name: s.call.Name, Arguments: string(s.call.Arguments)}}})
		i = len(*all) - 1
	}
	for i++; i < len(*all) && (*all)[i].Role == templates.ToolRole; i++ {
	}
	*all = slices.Insert(slices.Clip(*all), i, s.message())
}

func (s settled) message() templates.Message {
	return templates.Message{Role: templates.ToolRole, Name: s.call.Name, CallID: s.call.ID, Text: s.result.Text, Failed: s.result.Failed, Executed: true}
}
