package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tenon/engine"
	"tenon/engine/breaker"
	"tenon/engine/remote/chat"
	"tenon/engine/sseread"
	"tenon/grammar"
)

// upstream is one server of the model.
type upstream struct {
	client *client

	// Guarded by the engine's mu.
	address     Address // only its Weight changes
	api         api     // nil: it was not reached yet
	model       engine.Model
	up          bool
	verified    time.Time // when it was last seen to serve the model
	failures    breaker.Breaker
	fault       error // why it was lost last; nil: it was not
	outstanding int   // tokens that are still to be computed, of the turns that run there
	inUse       int   // tokens of the conversations that are held there
	running     int
	checking    bool // it is being asked: see check
}

// api is how an upstream is spoken to.
type api interface {
	// describe says what is served there. Its Can.Mask is what the API could enforce: a probe
	// says whether it does.
	describe(ctx context.Context) (engine.Model, error)
	// target is the dialect of its grammars.
	target() grammar.Target
	// cut is a text as the ids of the upstream's tokenizer, without BOS; errRefused: it tells
	// none.
	cut(ctx context.Context, text string) ([]int32, error)
	// request is where a turn goes, and what.
	request(t turn) (path string, body any)
	// reader decodes the data of a turn's events, one after the other, and nil for the
	// stream's end. That is an error, unless the answer has come to its end before. Errors are
	// of upstreams that are lost, but for errRefused. An event that is an error is not given
	// to it.
	reader(t turn) func(data []byte) (delta, error)
}

// delta is what an event of a stream says. A token without bytes is one that the vocabulary here
// spells.
type delta struct {
	progress *engine.Progress
	tokens   []engine.Token
	finish   *engine.Finish
	ended    bool // nothing of the answer follows but its usage
}

// grace is how long an answer that has ended waits for its usage, and for the stream's end.
const grace = 3 * time.Second

// patience is how long nothing may come behind an event.
func (d delta) patience(silence time.Duration) time.Duration {
	if d.ended {
		return min(grace, silence)
	}
	return silence
}

// connect asks an upstream what it serves and, if that is what the others serve, takes it in.
func (e *Engine) connect(ctx context.Context, u *upstream) error {
	a, m, err := e.ask(ctx, u)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		err = e.fits(m)
	}
	if err != nil {
		u.up, u.fault = false, err
		u.failures.Failed(time.Now())
		return fmt.Errorf("%s: %w", u.client.base.Host, err)
	}
	u.api, u.model, u.up, u.verified = a, m, true, time.Now()
	e.sum()
	return nil
}

// errOther: what is served is not what the engine stands for. It is loaded anew for that.
var errOther = fmt.Errorf("%w: another model is served", errLost)

// fits tells whether a model is the one that the engine stands for, and is spoken to like it. The
// caller holds e.mu.
func (e *Engine) fits(m engine.Model) error {
	switch was := e.model; {
	case was.Description == "": // the first
		return nil
	case m.Description != was.Description || m.Template != was.Template:
		return fmt.Errorf("%w: %q in place of %q; unload and load it to take that", errOther, m.Description, was.Description)
	case m.Can.Tokenizer != was.Can.Tokenizer || m.Can.IDs != was.Can.IDs || m.Can.Chat != was.Can.Chat || m.Can.Sampling != was.Can.Sampling:
		return fmt.Errorf("%w: with other means than the upstreams before (token ids %t, tokenizer %s)", errOther, m.Can.IDs, m.Can.Tokenizer)
	}
	return nil
}

// sum is the model of all upstreams that are up. The caller holds e.mu.
func (e *Engine) sum() {
	first := true
	for _, u := range e.upstreams {
		switch {
		case !u.up:
			continue
		case first:
			e.model = u.model
		default:
			e.model.Slots += u.model.Slots
			e.model.Context = min(e.model.Context, u.model.Context)
			if u.model.Can.Mask == engine.NoMask {
				e.model.Can.Mask, e.model.Can.Conclude = engine.NoMask, false
			}
			e.model.Can.Logprobs = e.model.Can.Logprobs && u.model.Can.Logprobs
			e.model.Can.Symbols = e.model.Can.Symbols && u.model.Can.Symbols
		}
		first = false
	}
}

// play sends a turn and gives what comes back to take, until that is false or the stream ends. The
// error is nil only where take has ended it.
func play(ctx context.Context, c *client, a api, t turn, take func(delta) bool) error {
	path, body := a.request(t)
	answer, err := c.send(ctx, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }() // it was only read, and may be given up
	in, read := sseread.NewReader(answer), a.reader(t)
	for {
		_, data, err := in.Next()
		if err != nil {
			if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errSilent) {
				return cause
			}
			if d, ended := read(nil); ended == nil {
				take(d)
				return nil
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w: %s ended the answer before its end: %w", errLost, c.base.Host, err)
		}
		var d delta
		if err = told(data); err == nil {
			d, err = read(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.base.Host, refusedOrLost(err))
		}
		if !take(d) {
			return nil
		}
	}
}

// told is the error that an event is, in any API; nil: it is none.
func told(data []byte) error {
	var in struct {
		Error        json.RawMessage `json:"error"`
		Object, Type string
	}
	if bytes.Contains(data, []byte("error")) { // a look at the many others
		_ = json.Unmarshal(data, &in) // what is no JSON is not told either
	}
	if some := len(in.Error) > 0 && string(in.Error) != "null"; some || in.Object == "error" || in.Type == "error" {
		return fmt.Errorf("%w: %s", errTold, messageOf(data))
	}
	return nil
}

// errTold is an error that stands in an answer.
var errTold = errors.New("it says")

// refusedOrLost is what an error of an answer is to its turn.
func refusedOrLost(err error) error {
	switch {
	case errors.Is(err, errRefused):
		return err
	case errors.Is(err, chat.ErrRefused): // no fault of the upstream's
		return fmt.Errorf("%w: %w", errRefused, err)
	}
	return fmt.Errorf("%w: %w", errLost, err)
}

// phrase is a turn as it is put to an upstream: its grammar in the upstream's dialect, if that
// keeps to grammars.
func (e *Engine) phrase(u *upstream, t turn) (api, turn, error) {
	e.mu.Lock()
	a, masked := u.api, u.model.Can.Mask == engine.PrintedMask
	e.mu.Unlock()
	if t.Grammar == "" || !masked && !t.Exact {
		return a, t, nil
	}
	if !masked {
		return a, t, engine.ErrInexact
	}
	g, err := grammar.Parse(t.Grammar, grammar.Options{Lenient: true})
	if err != nil {
		return a, t, fmt.Errorf("%w: compile the grammar: %w", engine.ErrInexact, err)
	}
	p, err := g.Print(a.target())
	if err != nil {
		return a, t, fmt.Errorf("%w: %w", engine.ErrInexact, err)
	}
	if t.Exact && len(p.Loosened) > 0 { // what is narrowed is valid all the same
		return a, t, fmt.Errorf("%w: %v", engine.ErrInexact, p.Loosened)
	}
	t.grammar, t.syntax = p.Text, g
	return a, t, nil
}
