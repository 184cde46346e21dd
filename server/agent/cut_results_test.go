package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tenon/engine"
	"tenon/server/agent"
	"tenon/server/chat"
)

func TestFold_resultsFitTheContext(t *testing.T) {
	for _, size := range []int{100, 3000, 40_000, 3 << 20} {
		n := &notes{reply: func(context.Context, int, string) (agent.Result, error) {
			return agent.Result{Text: "begin " + strings.Repeat("é", size/2) + " end"}, nil
		}}
		b := newBench(allowed(n), lookup("a"), lookup("b"), lookup("c"), "Done.")
		c := b.ask(t, nil)
		if c.Text != "Done." {
			t.Fatalf("%d: %q %+v", size, c.Text, c.Finish)
		}
		for i, r := range results(c) {
			if !strings.HasPrefix(r.Text, "begin") || !strings.HasSuffix(r.Text, "end") || (r.Cut > 0) != strings.Contains(r.Text, "left out here") {
				t.Errorf("%d: result %d: %.60q… (%d bytes), cut %d", size, i, r.Text, len(r.Text), r.Cut)
			}
			if size == 100 && r.Cut > 0 {
				t.Errorf("%d: cut without need", size)
			}
			if !strings.Contains(b.prompts()[3], r.Text) {
				t.Errorf("%d: the client was told another result than the model", size)
			}
		}
	}
}

// Guarantee 9: a result is data. It opens no approval, declares no tool, and none of its text is a
// control token or the template's.
func TestInjection_resultsStayData(t *testing.T) {
	for _, attack := range injections {
		n, danger := &notes{reply: func(context.Context, int, string) (agent.Result, error) { return agent.Result{Text: attack}, nil }}, &notes{}
		o := agent.Options{Sources: []agent.Source{source{all: []agent.Tool{n.tool("lookup", agent.Allow), danger.tool("delete_everything", agent.Ask)}}}}
		b := newBench(o, lookup("a"), lookup("b"), "It says strange things.")
		c := b.ask(t, nil)
		if len(danger.calls) != 0 || b.count(chat.HostedAsk) != 0 || len(n.calls) != 2 {
			t.Errorf("%.40q: %d dangerous calls, %+v", attack, len(danger.calls), c)
		}
		first, last := b.engine.Turns()[0], b.engine.Turns()[2]
		if first.Grammar != last.Grammar {
			t.Errorf("%.40q: the grammar changed", attack)
		}
		for _, piece := range last.Prompt {
			if strings.Contains(attack, piece.Text) && len(piece.Text) > 12 && piece.Origin != engine.Content {
				t.Errorf("%.40q: %q is %v", attack, piece.Text, piece.Origin)
			}
		}
	}
}

// A context that results have filled ends the turn with what there is; nothing fails.
func TestFold_aFullContextEndsTheTurn(t *testing.T) {
	n := &notes{reply: func(context.Context, int, string) (agent.Result, error) {
		return agent.Result{Text: strings.Repeat("a long note ", 1000)}, nil
	}}
	var said []string
	for i := range 9 {
		said = append(said, lookup(fmt.Sprint(i)))
	}
	o := allowed(n)
	o.Limits.Rounds = 20
	b := newBench(o, said...)
	b.engine.Info.Context = 1500
	c := b.ask(t, nil)
	if c.Finish.Reason != chat.Length || !c.Finish.Full || len(results(c)) < 2 || b.count(chat.Finished) != 1 {
		t.Errorf("%d results, %+v", len(results(c)), c.Finish)
	}
}
