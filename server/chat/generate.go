package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenon/engine"
	"tenon/tools"
)

// answering is what the choices of a turn have in common.
type answering struct {
	service *Service
	model   Model
	request Request
	plan    planned
}

// choiceRun reads a choice's session to its end and turns its tokens into events. mend.go tells
// what becomes of calls that do not validate, repetition.go when a model goes round in circles.
type choiceRun struct {
	answering
	session engine.Session
	sink    Sink
	index   int

	reading *reading
	usage   Usage   // of the prompt, before anything was tried again
	miss    *Miss   // likewise
	spent   int     // tokens that failed tries generated
	mistake string  // of the last try that failed
	narrow  bool    // the context leaves less room than the request allows
	sent    bool    // something of the answer has left
	held    []Event // text and thinking before a call that must come, and may not
	faults  []*tools.Fault
	refusal *tools.Fault // of the latest call that became text
	loop    loopGuard
	repeats repeats
	said    strings.Builder // visible text, where calls are guessed
	mending Mending
	notes   []tools.Note
	clock   clock
}

// clock is when a turn came how far, as seen from here: the engine does not tell of what is ended
// from outside. The wait for a slot counts with the prompt.
type clock struct{ opened, first time.Time }

// timing is that of a turn which ends now.
func (c clock) timing() engine.Timing {
	return engine.Timing{Prompt: c.first.Sub(c.opened), Decode: time.Since(c.first)}
}

func (a answering) choice(session engine.Session, index int, sink Sink) *choiceRun {
	return &choiceRun{answering: a, session: session, sink: sink, index: index, reading: newReading(a.plan, a.plan.turn.Budget.Tokens), repeats: repeats{most: a.plan.mostEqual}}
}

func (c *choiceRun) run(ctx context.Context) error {
	// it may be another one by then; the turn has ended either way
	defer func() { _ = c.session.Close() }()
	c.clock.opened = time.Now()
	for {
		u, err := c.session.Next(ctx)
		if err != nil {
			return fmt.Errorf("generate: %w", err)
		}
		switch {
		case u.Progress != nil:
			err = c.progress(*u.Progress)
		case u.Check != nil:
			err = c.check(ctx, u.Tokens)
		case u.Finish != nil:
			if over, err := c.finish(ctx, *u.Finish); over || err != nil {
				return err
			}
		default:
			err = c.tokens(ctx, u.Tokens)
		}
		if err != nil {
			return err
		}
		if c.reading.stop != "" || c.repeats.again {
			_, err = c.finish(ctx, engine.Finish{Reason: engine.Stop, Timing: c.clock.timing(), Usage: engine.Usage{
				Prompt: c.usage.Prompt, Cached: c.usage.Cached, Generated: len(c.reading.tokens),
			}})
			return err
		}
	}
}

func (c *choiceRun) progress(p engine.Progress) error {
	if c.mending.Retries == 0 {
		c.usage.Prompt, c.usage.Cached = p.Total, p.Cached
		c.miss = missIn(c.plan.rendering, c.plan.asked, p.Miss)
	}
	if room := c.model.Engine.Model().Context - p.Total; room > 0 && (c.reading.limit <= 0 || room < c.reading.limit) {
		c.reading.limit, c.narrow = room, true
	}
	return c.send(Event{Kind: Progress, Progress: p})
}

func (c *choiceRun) tokens(ctx context.Context, tokens []engine.Token) error {
	if c.clock.first.IsZero() {
		c.clock.first = time.Now()
	}
	for _, t := range tokens {
		if c.reading.stop != "" || c.repeats.again {
			return nil // the rest had been written before the engine knew
		}
		if err := c.reading.token(t, c.send); err != nil {
			return err
		}
		if again, err := c.appeal(ctx); again || err != nil {
			return err
		}
		if err := c.guard(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// guard has the answer end at its nearest legal place once the model goes round in circles.
func (c *choiceRun) guard(ctx context.Context, t engine.Token) error {
	if !c.reading.parser.InCall() {
		c.loop = loopGuard{}
	} else if c.loop.token(t) {
		return c.conclude(ctx, "the argument of a call goes round in circles")
	}
	return nil
}

func (c *choiceRun) conclude(ctx context.Context, why string) error {
	c.loop = loopGuard{}
	if c.mending.Loops > 0 {
		return nil // it has been told, and had gone on before it knew
	}
	c.mending.Loops = 1
	c.note(why + ": the answer is ended at the nearest place")
	if err := c.session.Conclude(ctx); err != nil {
		return fmt.Errorf("end an answer that goes round in circles: %w", err)
	}
	return nil
}

func (c *choiceRun) note(text string) {
	c.notes = append(c.notes, tools.Note{Offset: c.reading.bytes, Text: text})
}

// finish ends the answer. It is false where the turn goes on because it is tried again.
func (c *choiceRun) finish(ctx context.Context, f engine.Finish) (over bool, err error) {
	for _, text := range f.Notes {
		c.note(text)
	}
	if err := c.reading.close(f.Reason == engine.Length, c.send); err != nil {
		return true, err
	}
	if again, err := c.appeal(ctx); again || err != nil {
		return !again, err
	}
	if err := c.guess(f); err != nil {
		return true, err
	}
	if c.plan.must && c.reading.calls == 0 && f.Reason == engine.Stop {
		if again, err := c.compel(ctx); again || err != nil {
			return !again, err
		}
	}
	if err := c.letGo(); err != nil {
		return true, err
	}
	c.plan.keep(c.reading.tokens)
	u := f.Usage
	if c.mending.Retries > 0 && c.usage.Prompt > 0 {
		u.Prompt, u.Cached = c.usage.Prompt, c.usage.Cached
	}
	return true, c.send(Event{Kind: Finished, Finish: Finish{
		Reason:   c.reason(f),
		Full:     c.narrow && f.Reason == engine.Length,
		StopText: c.reading.stop,
		Usage:    Usage{Prompt: u.Prompt, Cached: u.Cached, Completion: u.Generated + c.spent, Reasoning: c.reading.reasoning},
		Miss:     c.miss,
		Timing:   f.Timing,
		Rewound:  u.Rewound,
		Parsing:  c.reading.took,
		Repairs:  c.reading.parser.Repairs(),
		Notes:    slices.Concat(c.notes, c.reading.parser.Notes()),
		Mending:  c.mending,
	}})
}

// guess ends a turn in whose text the model only says what it calls with that call, if the model's
// adapter wants it.
func (c *choiceRun) guess(f engine.Finish) error {
	names := c.model.Teaching.Guess
	if len(names) == 0 || c.reading.calls > 0 || f.Reason != engine.Stop {
		return nil
	}
	call, ok := c.reading.plan.tools.Guess(c.said.String(), names)
	if !ok {
		return nil
	}
	c.note("the call of " + call.Name + " is guessed from the text")
	started := call
	started.Arguments = nil
	return c.reading.send([]tools.Event{
		{Kind: tools.CallStart, Call: started}, {Kind: tools.CallArguments, Text: string(call.Arguments)}, {Kind: tools.CallEnd, Call: call},
	}, c.send)
}

// reason is how the turn ended. An engine that closed the answer early so that it fits its budget
// says length; a turn that ends in a whole call with tokens to spare is not cut off for that, and
// clients run no call of a turn that is.
func (c *choiceRun) reason(f engine.Finish) Reason {
	whole := c.reading.ended && f.Usage.Generated < c.reading.limit
	switch {
	case f.Reason == engine.Cancelled:
		return Cancelled
	case f.Reason == engine.Length && !whole:
		return Length
	case c.reading.calls > 0:
		// also where a stop came behind them, as in a call that was none: they are to be
		// run
		return ToolCalls
	case c.reading.stop != "" && !slices.Contains(c.reading.plan.rendering.Stops, c.reading.stop):
		return StopSequence
	default:
		return Stop
	}
}

// compel has the turn tried again that has ended without the call that it must make, on an engine
// that cannot be made to.
func (c *choiceRun) compel(ctx context.Context) (again bool, err error) {
	var said strings.Builder
	for _, e := range c.held {
		if e.Kind == Text {
			said.WriteString(e.Text)
		}
	}
	f := &tools.Fault{Source: said.String(), Err: errors.New("no tool was called, and the request demands a call")}
	if c.retry(ctx, f, len(c.reading.tokens)) {
		c.held = nil
		return true, nil
	}
	why := "which the model did not make"
	if c.refusal != nil {
		why = fmt.Sprintf("and what the model made is none: %v", c.refusal.Err)
	}
	return false, unfit("tool_choice", fmt.Sprintf("demands a call, %s (try %d of %d). Its engine cannot be made to keep to a grammar. Ask again, or give simpler tools",
		why, c.mending.Retries+1, c.retries()+1))
}

// letGo sends what was held.
func (c *choiceRun) letGo() error {
	held := c.held
	c.held = nil
	for _, e := range held {
		if err := c.pass(e); err != nil {
			return err
		}
	}
	return nil
}

func (c *choiceRun) send(e Event) error {
	e.Choice = c.index
	if c.plan.must && c.reading.calls == 0 && (e.Kind == Text || e.Kind == Reasoning) {
		c.held = append(c.held, e)
		return nil
	}
	if e.Kind == CallStart {
		if err := c.letGo(); err != nil {
			return err
		}
	}
	return c.pass(e)
}

func (c *choiceRun) pass(e Event) error {
	was := c.repeats.again
	for _, e := range c.repeats.pass(e) {
		if e.Kind == Text || e.Kind == Reasoning || e.Kind == CallStart {
			c.sent = true
		}
		if e.Kind == Text && len(c.model.Teaching.Guess) > 0 {
			c.said.WriteString(e.Text)
		}
		if err := c.sink(e); err != nil {
			return gone(err)
		}
	}
	if c.repeats.again && !was {
		c.mending.Loops++
		c.note("a call came again: it is dropped, and the turn ends")
	}
	return nil
}
