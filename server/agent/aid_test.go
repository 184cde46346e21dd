package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/server/agent"
	"tenon/server/chat"
	"tenon/templates"
)

// asking is a tool whose calls do something with the aid they get.
func asking(do func(context.Context, agent.Aid) string) *notes {
	n := &notes{}
	n.reply = func(ctx context.Context, _ int, _ string) (agent.Result, error) {
		return agent.Result{Text: do(ctx, agent.AidOf(ctx))}, nil
	}
	return n
}

func says(text string) agent.Prompt {
	return agent.Prompt{System: "Be short.", Messages: []templates.Message{{Role: templates.User, Text: text}}, MaxTokens: 100, Most: 2}
}

// A tool may have the model answer: in a conversation of its own, without tools, so often and no
// oftener. What the model writes there executes nothing, whatever it looks like.
func TestSample_theModelAnswersWithoutTools(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := agent.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }() // each entry is on the disk
	var got []string
	n := asking(func(ctx context.Context, a agent.Aid) string {
		for range 3 {
			s, err := a.Sample(ctx, says("Sum it up."))
			got = append(got, fmt.Sprint(s.Text, s.Model, s.Finish.Reason, err))
		}
		return "note"
	})
	o := allowed(n)
	o.Journal = j
	b := newBench(o, lookup("a"), "A summary.", lookup("b"), "All is well.")
	c := b.ask(t, nil)
	if len(n.calls) != 1 || c.Text != "All is well." || b.count(chat.HostedStart) != 1 {
		t.Errorf("%d calls, %+v", len(n.calls), c)
	}
	if len(got) != 3 || got[0] != "A summary.mstop<nil>" || !strings.Contains(got[1], `"tool": "lookup"`) || !strings.Contains(got[2], "at most 2 prompts") {
		t.Errorf("%q", got)
	}
	prompts := b.prompts()
	if len(prompts) != 4 || strings.Contains(prompts[1], "lookup") || strings.Contains(prompts[1], "my notes") || !strings.Contains(prompts[1], "Sum it up.") || !strings.Contains(prompts[1], "Be short.") {
		t.Errorf("%q", prompts)
	}
	if turns := b.engine.Turns(); turns[1].Budget.Tokens != 100 {
		t.Errorf("%+v", turns[1].Budget)
	}
	whole := 0
	for _, text := range []string{lookup("a"), "A summary.", lookup("b"), "All is well."} {
		whole += len(text)
	}
	if c.Finish.Usage.Completion != whole { // a token of the script is a byte
		t.Errorf("%+v, not %d", c.Finish.Usage, whole)
	}
	var events []string
	for _, e := range journal(t, path) {
		events = append(events, e.Event)
	}
	if fmt.Sprint(events) != "[start sample sample end]" {
		t.Error(events)
	}
}

// What tools have the model write leaves the half of the request's tokens for the answer.
func TestSample_leavesTokensForTheAnswer(t *testing.T) {
	n := asking(func(ctx context.Context, a agent.Aid) string {
		_, err := a.Sample(ctx, says("Go on."))
		return fmt.Sprint(err)
	})
	b := newBench(allowed(n), lookup("a"), strings.Repeat("la ", 100), "Well.")
	most := len(lookup("a")) + 60
	b.ask(t, func(r *chat.Request) { r.MaxTokens = most })
	if turns := b.engine.Turns(); len(turns) != 3 || turns[1].Budget.Tokens != 30 || turns[2].Budget.Tokens != 30 {
		t.Errorf("%+v", turns)
	}
}

// A prompt that the model cannot answer is an error for the tool, and the loop lives.
func TestSample_failuresAreTheTools(t *testing.T) {
	n := asking(func(ctx context.Context, a agent.Aid) string {
		p := says(strings.Repeat("too long ", 100_000))
		_, err := a.Sample(ctx, p)
		return fmt.Sprint(err)
	})
	c := newBench(allowed(n), lookup("a"), "All is well.").ask(t, nil)
	if all := results(c); len(all) != 1 || !strings.Contains(all[0].Text, "tokens") || c.Text != "All is well." {
		t.Errorf("%+v", c)
	}
}

const form = `{"type":"object","required":["day"],"properties":{"day":{"type":"integer"}}}`

// Where nobody can be asked a question is declined, and the result says so.
func TestElicit_isDeclinedWhereNobodyCanBeAsked(t *testing.T) {
	n := asking(func(ctx context.Context, a agent.Aid) string {
		r, err := a.Elicit(ctx, "Which day?", json.RawMessage(form))
		return fmt.Sprint(r.Action, err)
	})
	b := newBench(allowed(n), lookup("a"), "All is well.")
	c := b.ask(t, nil)
	if all := results(c); len(all) != 1 || !strings.HasPrefix(all[0].Text, "decline<nil>\n[") || !strings.Contains(all[0].Text, "declined") || b.count(chat.HostedQuestion) != 0 {
		t.Errorf("%+v", c)
	}
}

// A question goes to the client and waits for an answer of its key that fits.
func TestElicit_waitsForAnAnswerThatFits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j, err := agent.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = j.Close() }() // each entry is on the disk
	n := asking(func(ctx context.Context, a agent.Aid) string {
		r, err := a.Elicit(ctx, "Which day?", json.RawMessage(form))
		return fmt.Sprint(r.Action, string(r.Content), err)
	})
	o := allowed(n)
	o.Journal = j
	b := newBench(o, lookup("a"), "All is well.")
	tried := []error{}
	b.stop = func(e chat.Event) error {
		if e.Kind != chat.HostedQuestion {
			return nil
		}
		q, ctx := e.Hosted.Question, context.Background()
		if q.Message != "Which day?" || string(q.Schema) != form || e.Hosted.Source != "notes" {
			t.Errorf("%+v", q)
		}
		stranger := chat.WithCaller(ctx, chat.Caller{Key: "other", Name: "other"})
		tried = append(tried,
			b.Answer(stranger, q.ID, chat.Reply{Action: "accept", Content: json.RawMessage(`{"day":3}`)}),
			b.Answer(ctx, "elic_x", chat.Reply{Action: "decline"}),
			b.Answer(ctx, q.ID, chat.Reply{Action: "perhaps"}),
			b.Answer(ctx, q.ID, chat.Reply{Action: "accept"}),
			b.Answer(ctx, q.ID, chat.Reply{Action: "accept", Content: json.RawMessage(`{"day":"3"}`)}),
			b.Answer(ctx, q.ID, chat.Reply{Action: "accept", Content: json.RawMessage(`{"day":3}`)}),
			b.Answer(ctx, q.ID, chat.Reply{Action: "decline"}),
		)
		return nil
	}
	c := b.ask(t, func(r *chat.Request) { r.Hosted.CanElicit = true })
	var fields []string
	for _, err := range tried {
		if err == nil {
			fields = append(fields, "ok")
			continue
		}
		fields = append(fields, chat.AsError(err).Field)
	}
	if got := strings.Join(fields, " "); got != "id id action content content ok id" {
		t.Error(got)
	}
	if all := results(c); len(all) != 1 || all[0].Text != `accept{"day":3}<nil>` || c.Text != "All is well." {
		t.Errorf("%+v", c)
	}
	entries := journal(t, path)
	if len(entries) != 3 || entries[1].Event != "question" || entries[1].Result != "accept" || strings.Contains(fmt.Sprint(entries[1]), `{"day":3}`) {
		t.Errorf("%+v", entries)
	}
}

// A question ends with the time of its call, or with its client.
func TestElicit_endsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := asking(func(ctx context.Context, a agent.Aid) string {
			r, err := a.Elicit(ctx, "Which day?", nil)
			return fmt.Sprint(r.Action, err)
		})
		o := allowed(n)
		o.Limits.Call = time.Minute
		b := newBench(o, lookup("a"), "All is well.")
		c := b.ask(t, func(r *chat.Request) { r.Hosted.CanElicit = true })
		id := ""
		for _, e := range b.events {
			if e.Kind == chat.HostedQuestion {
				id = e.Hosted.Question.ID
			}
		}
		if all := results(c); len(all) != 1 || all[0].Why != "timeout" || id == "" {
			t.Errorf("%+v", c)
		}
		synctest.Wait()
		if err := b.Answer(t.Context(), id, chat.Reply{Action: "decline"}); err == nil {
			t.Error("a question of a call that has ended was answered")
		}
		gone := errors.New("the client is gone")
		b = newBench(o, lookup("a"), "All is well.")
		b.stop = func(e chat.Event) error {
			if e.Kind == chat.HostedQuestion || e.Kind == chat.HostedEnd {
				return gone
			}
			return nil
		}
		if _, err := b.try(t.Context(), func(r *chat.Request) { r.Hosted.CanElicit = true }); !errors.Is(err, gone) {
			t.Error(err)
		}
	})
}

// A tool that asks without end gets so many answers and no more: neither the user nor the journal
// is flooded, whether somebody can be asked or not.
func TestElicit_isBoundedInOneCall(t *testing.T) {
	for _, canAsk := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "journal")
		j, err := agent.OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = j.Close() }() // each entry is on the disk
		refused := 0
		n := asking(func(ctx context.Context, a agent.Aid) string {
			for range 100 {
				if _, err := a.Elicit(ctx, "Which day?", json.RawMessage(form)); err != nil && strings.Contains(err.Error(), "at most 10 questions are put") {
					refused++
				}
			}
			return "note"
		})
		o := allowed(n)
		o.Journal = j
		b := newBench(o, lookup("a"), "All is well.")
		b.stop = func(e chat.Event) error {
			if e.Kind == chat.HostedQuestion {
				return b.Answer(context.Background(), e.Hosted.Question.ID, chat.Reply{Action: "decline"})
			}
			return nil
		}
		b.ask(t, func(r *chat.Request) { r.Hosted.CanElicit = canAsk })
		if all := journal(t, path); refused != 90 || len(all) != 12 {
			t.Errorf("%d are refused; the journal has %d lines", refused, len(all))
		}
	}
}
