package chat

import (
	"context"
	"fmt"
	"slices"

	"tenon/engine"
	"tenon/tools"
)

// choiceRun reads one session to its end and turns its tokens into events.
type choiceRun struct {
	plan    planned
	session engine.Session
	parser  *tools.Parser
	sink    Sink
	index   int

	all   []engine.Token // the turn's tokens, ids and bytes, to be kept
	held  []engine.Token // tokens whose text has not been sent; for logprobs
	usage Usage          // counted here, so that it is known however the turn ends
	calls int
	ended bool   // the last thing sent is the end of a call
	stop  string // the stop string that ended the text
}

func (c *choiceRun) run(ctx context.Context) error {
	for {
		u, err := c.session.Next(ctx)
		if err != nil {
			return fmt.Errorf("generate: %w", err)
		}
		switch {
		case u.Progress != nil:
			c.usage.Prompt, c.usage.Cached = u.Progress.Total, u.Progress.Cached
			err = c.send(Event{Kind: Progress, Progress: *u.Progress})
		case u.Check != nil:
			if err = c.tokens(u.Tokens); err == nil {
				err = c.decide(ctx)
			}
		case u.Finish != nil:
			return c.finish(*u.Finish)
		default:
			err = c.tokens(u.Tokens)
		}
		if err != nil {
			return err
		}
		if c.stop != "" {
			return c.finish(engine.Finish{Reason: engine.Stop, Usage: engine.Usage{
				Prompt: c.usage.Prompt, Cached: c.usage.Cached, Generated: c.usage.Completion,
			}})
		}
	}
}

func (c *choiceRun) tokens(tokens []engine.Token) error {
	for _, t := range tokens {
		c.usage.Completion++
		c.all = append(c.all, engine.Token{ID: t.ID, Bytes: t.Bytes})
		if c.plan.logprobs && t.Kind != engine.Symbol {
			c.held = append(c.held, t)
		}
		events := c.parser.Token(t.Bytes, t.Kind == engine.Symbol)
		if len(events) > 0 && events[len(events)-1].Kind == tools.Reasoning {
			c.usage.Reasoning++
		}
		if err := c.events(events); err != nil {
			return err
		}
	}
	return nil
}

func (c *choiceRun) events(events []tools.Event) error {
	for _, e := range events {
		if err := c.event(e); err != nil {
			return err
		}
	}
	return nil
}

func (c *choiceRun) event(e tools.Event) error {
	c.ended = e.Kind == tools.CallEnd
	switch e.Kind {
	case tools.Text:
		return c.send(Event{Kind: Text, Text: e.Text, Tokens: c.sent(len(e.Text))})
	case tools.Reasoning:
		c.held = nil
		return c.send(Event{Kind: Reasoning, Text: e.Text})
	case tools.CallStart:
		c.held = nil
		c.calls++
		return c.send(Event{Kind: CallStart, Call: e.Call, Freeform: c.plan.freeform[e.Call.Name]})
	case tools.CallArguments:
		return c.send(Event{Kind: CallArguments, Call: e.Call, Text: e.Text, Freeform: c.plan.freeform[e.Call.Name]})
	case tools.CallEnd:
		c.held = nil
		return c.send(Event{Kind: CallEnd, Call: e.Call, Freeform: c.plan.freeform[e.Call.Name]})
	case tools.StopHit:
		c.stop = e.Text
	}
	return nil
}

// sent takes the tokens that make up the next n bytes of text. A token that the text ends in goes with its beginning.
func (c *choiceRun) sent(n int) []engine.Token {
	i := 0
	for ; i < len(c.held) && n > 0; i++ {
		n -= len(c.held[i].Bytes)
	}
	out := c.held[:i:i]
	c.held = c.held[i:]
	return out
}

// decide answers a check. The turn always goes on: the parser keeps a call to its end and validates it whole there, so
// that a call which is not valid becomes text and none of it has left before.
func (c *choiceRun) decide(ctx context.Context) error {
	if err := c.session.Decide(ctx, engine.Verdict{}); err != nil {
		return fmt.Errorf("answer a check: %w", err)
	}
	return nil
}

func (c *choiceRun) finish(f engine.Finish) error {
	if err := c.events(c.parser.Close(f.Reason == engine.Length)); err != nil {
		return err
	}
	c.plan.keep(c.all)
	u := f.Usage
	return c.send(Event{Kind: Finished, Finish: Finish{
		Reason:   c.reason(f),
		StopText: c.stop,
		Usage:    Usage{Prompt: u.Prompt, Cached: u.Cached, Completion: u.Generated, Reasoning: c.usage.Reasoning},
		Timing:   f.Timing,
		Rewound:  u.Rewound,
		Repairs:  c.parser.Repairs(),
		Notes:    c.parser.Notes(),
	}})
}

// reason is how the turn ended. An engine that closed the answer early so that it fits its budget says length; a turn that
// ends in a whole call with tokens to spare is not cut off for that, and clients run no call of a turn that is.
func (c *choiceRun) reason(f engine.Finish) Reason {
	whole := c.ended && f.Usage.Generated < c.plan.turn.Budget.Tokens
	switch {
	case f.Reason == engine.Cancelled:
		return Cancelled
	case f.Reason == engine.Length && !whole:
		return Length
	case c.stop != "" && !slices.Contains(c.plan.rendering.Stops, c.stop):
		return StopSequence
	case c.calls > 0:
		return ToolCalls
	default:
		return Stop
	}
}

func (c *choiceRun) send(e Event) error {
	e.Choice = c.index
	if err := c.sink(e); err != nil {
		return gone(err)
	}
	return nil
}
