package agent_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tenon/server/agent"
	"tenon/server/chat"
)

// S4-18: each limit brings a last round without tools.
func TestLimits_bringAnAnswer(t *testing.T) {
	endless := func(different bool) (all []string) {
		for i := range 40 {
			q := "same"
			if different {
				q = fmt.Sprint("q", i)
			}
			all = append(all, lookup(q))
		}
		return all
	}
	for name, c := range map[string]struct {
		limits    agent.Limits
		different bool
		executed  int
	}{
		"rounds":      {agent.Limits{Rounds: 4}, true, 4},
		"time":        {agent.Limits{Time: time.Nanosecond}, true, 1},
		"tokens":      {agent.Limits{Tokens: 90}, true, 3},
		"equal calls": {agent.Limits{EqualCalls: 2}, false, 2},
	} {
		n := &notes{}
		o := allowed(n)
		o.Limits = c.limits
		b := newBench(o, endless(c.different)...)
		got := b.ask(t, nil)
		if got.Finish.Limit != name || len(n.calls) != c.executed || got.Finish.Reason != chat.Stop {
			t.Errorf("%s: %d executed, %+v", name, len(n.calls), got.Finish)
		}
		turns := b.engine.Turns()
		last := turns[len(turns)-1].Grammar
		if strings.Contains(last, "name:") {
			t.Errorf("%s: the last round may call:\n%s", name, last)
		}
	}
}

func TestLimits_theRequestsOwnTokensHoldForTheWholeTurn(t *testing.T) {
	n := &notes{}
	b := newBench(allowed(n), lookup("a"), strings.Repeat("word ", 100))
	c := b.ask(t, func(r *chat.Request) { r.MaxTokens = 80 })
	if c.Finish.Usage.Completion != 80 || c.Finish.Reason != chat.Length {
		t.Errorf("%+v", c.Finish)
	}
}

// Cancelled at any event, a turn ends, nothing is executed behind it, and each call that began has
// an end in the journal.
func TestCancel_atEachStep(t *testing.T) {
	for step := 0; ; step++ {
		n := &notes{}
		path := filepath.Join(t.TempDir(), "journal")
		j, err := agent.OpenJournal(path)
		if err != nil {
			t.Fatal(err)
		}
		o := allowed(n)
		o.Journal = j
		b := newBench(o, "Look. "+lookup("a"), lookup("b"), "Done.")
		at, executed := 0, -1
		b.stop = func(chat.Event) error {
			if at++; at > step {
				executed = len(n.calls)
				return errors.New("the client left")
			}
			return nil
		}
		_, err = b.try(context.Background(), nil)
		starts, ends := 0, 0
		for _, e := range journal(t, path) {
			if e.Event == "start" {
				starts++
			} else {
				ends++
			}
		}
		_ = j.Close()
		if starts != ends {
			t.Errorf("step %d: %d calls began, %d ended", step, starts, ends)
		}
		if err == nil {
			return
		}
		if len(n.calls) > executed || b.engine.Running() != 0 {
			t.Errorf("step %d: %d executed when the client left, %d then; %d turns run on", step, executed, len(n.calls), b.engine.Running())
		}
	}
}

// S4-19: a tool that runs when the client leaves is cancelled.
func TestCancel_reachesTheTool(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := &notes{reply: func(inner context.Context, _ int, _ string) (agent.Result, error) {
		cancel()
		<-inner.Done()
		return agent.Result{}, inner.Err()
	}}
	b := newBench(allowed(n), lookup("a"), "Done.")
	if _, err := b.try(ctx, nil); !chat.IsClientGone(err) {
		t.Errorf("%v", err)
	}
}

// The limit of time holds between the calls of one round, too.
func TestLimits_timeWithinARound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &notes{reply: func(context.Context, int, string) (agent.Result, error) {
			time.Sleep(2 * time.Second) // of the fake clock
			return agent.Result{}, nil
		}}
		o := allowed(n)
		o.Limits.Time = time.Second
		b := newBench(o, lookup("a")+"\n"+lookup("b")+"\n"+lookup("c"), "Done.")
		if c := b.ask(t, nil); len(n.calls) != 1 || len(results(c)) != 3 || c.Finish.Limit != "time" {
			t.Errorf("%d calls, %+v", len(n.calls), c.Finish)
		}
	})
}
