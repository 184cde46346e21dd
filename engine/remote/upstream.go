package remote

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"tenon/engine"
	"tenon/engine/breaker"
)

// upstream is one server of the model.
type upstream struct {
	client *client
	weight float64

	// Guarded by the engine's mu.
	api         api // nil: it was not reached yet
	model       engine.Model
	up          bool
	verified    time.Time // when it was last seen to serve the model
	failures    breaker.Breaker
	outstanding int // tokens of prompts and of what may be answered, of the turns that run there
	running     int
	seen        prefixes
}

// api is how an upstream is spoken to.
type api interface {
	// describe says what is served there. Its Can.Mask is what the API could enforce: a probe says
	// whether it does.
	describe(ctx context.Context) (engine.Model, error)
	// request is where a turn goes, and what.
	request(t turn) (path string, body any)
	// reader decodes the data of a turn's events, one after the other.
	reader(t turn) func(data []byte) (delta, error)
}

// delta is what an event of a stream says.
type delta struct {
	progress *engine.Progress
	tokens   []engine.Token
	finish   *engine.Finish
}

// connect asks an upstream what it serves and, if that is what the others serve, takes it in.
func (e *Engine) connect(ctx context.Context, u *upstream) error {
	a, m, err := e.ask(ctx, u.client)
	if err == nil && m.Can.Mask == engine.PrintedMask && !obeys(ctx, u.client, a, e.options.Vocabulary) {
		e.options.Log.Warn("an upstream follows no grammar: calls are validated, not constrained", "model", e.options.Name, "upstream", u.client.base.Host)
		m.Can.Mask = engine.NoMask
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		err = e.fits(u, m)
	}
	if err != nil {
		u.up = false
		u.failures.Failed(time.Now())
		return fmt.Errorf("%s: %w", u.client.base.Host, err)
	}
	u.api, u.model, u.up, u.verified = a, m, true, time.Now()
	e.sum()
	return nil
}

// ask finds out what an upstream serves. It is a llama-server: further APIs are tried here.
func (e *Engine) ask(ctx context.Context, c *client) (api, engine.Model, error) {
	a := &llamaServer{client: c}
	m, err := a.describe(ctx)
	if err == nil {
		m, err = e.local(ctx, a, m)
	}
	return a, m, err
}

// sample is cut into tokens here and there: the vocabularies must be one.
const sample = "The 3 wise men's \"tokens\" — Grüße, 天气 {\"a\": [1, 2]}\n\t<end>"

// local is a description of a model whose vocabulary is here as well.
func (e *Engine) local(ctx context.Context, far tokenizer, m engine.Model) (engine.Model, error) {
	v := e.options.Vocabulary
	if v == nil {
		return m, nil
	}
	piece := engine.Prompt{{Text: sample, Origin: engine.Content}}
	here, err := v.Tokens(ctx, piece)
	if err != nil {
		return m, fmt.Errorf("tokenize: %w", err)
	}
	there, err := far.tokens(ctx, piece)
	if err != nil {
		return m, err
	}
	if !slices.Equal(here, there) {
		return m, fmt.Errorf("%w: the file that is named as its source has another vocabulary than the model that is served", errOther)
	}
	file := v.Model()
	m.Vocab, m.Metadata, m.Defaults, m.Architecture = file.Vocab, file.Metadata, file.Defaults, file.Architecture
	m.Can.Tokenizer, m.Can.Symbols = engine.LocalTokenizer, true
	return m, nil
}

// errOther: what is served is not what the engine stands for. It is loaded anew for that.
var errOther = fmt.Errorf("%w: another model is served", errLost)

// fits tells whether a model is the one that the engine stands for. The caller holds e.mu.
func (e *Engine) fits(u *upstream, m engine.Model) error {
	if e.model.Description == "" { // the first
		return nil
	}
	if m.Description != e.model.Description || m.Template != e.model.Template {
		return fmt.Errorf("%w: %q in place of %q; unload and load it to take that", errOther, m.Description, e.model.Description)
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
				e.model.Can.Mask = engine.NoMask
			}
		}
		first = false
	}
}

// unlikely is a grammar that no model follows by itself.
const unlikely = `root ::= "qzx-" [0-9] "-zqx"`

var unlikelyText = regexp.MustCompile(`^qzx-[0-9]-zqx`)

// obeys tells whether an upstream keeps to a grammar. One that parses thinking, say, may leave it
// out without a word.
func obeys(ctx context.Context, c *client, a api, v engine.Engine) bool {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	cold := float32(0)
	t := turn{Turn: engine.Turn{
		Prompt: engine.Plain("The capital of France is"), Sampling: engine.Sampling{Temperature: &cold}, Budget: engine.Budget{Tokens: 24}, Logprobs: -1,
	}, grammar: unlikely}
	var err error
	if v != nil {
		t.ids, err = v.Tokens(ctx, t.Prompt)
	} else if far, ok := a.(tokenizer); ok {
		t.ids, err = far.tokens(ctx, t.Prompt)
	}
	if err != nil {
		return false
	}
	var said strings.Builder
	_ = play(ctx, c, a, t, func(d delta) bool { // what it said until then counts
		for _, token := range d.tokens {
			said.Write(token.Bytes)
		}
		return d.finish == nil
	})
	return unlikelyText.MatchString(said.String())
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
	in, read := newEvents(answer), a.reader(t)
	for {
		data, err := in.next()
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("%w: %s ended the answer before its end: %w", errLost, c.base.Host, err)
		}
		d, err := read(data)
		if err != nil {
			return fmt.Errorf("%s: %w", c.base.Host, err)
		}
		if !take(d) {
			return nil
		}
	}
}

// watch looks at the upstreams from time to time: those that are lost are asked again, the others
// whether they live.
func (e *Engine) watch() {
	tick := time.NewTicker(e.options.Check)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-e.ctx.Done():
			return
		}
		e.rouse(nil)
	}
}

// rouse asks those that are lost whether they are back; not is passed over.
func (e *Engine) rouse(not *upstream) {
	for _, u := range e.upstreams {
		if u != not {
			e.look(u)
		}
	}
}

func (e *Engine) look(u *upstream) {
	e.mu.Lock()
	up := u.up
	_, resting := u.failures.Open(time.Now())
	e.mu.Unlock()
	switch {
	case !up && !resting:
		if err := e.connect(e.ctx, u); err != nil {
			e.options.Log.Debug("an upstream is still lost", "model", e.options.Name, "error", err)
			return
		}
		e.options.Log.Info("an upstream is back", "model", e.options.Name, "upstream", u.client.base.Host)
	case up:
		e.verify(e.ctx, u)
	}
}

// verify asks an upstream that is up whether it still serves the model. It is false where it does
// not: then it is lost.
func (e *Engine) verify(ctx context.Context, u *upstream) bool {
	m, err := e.apiOf(u).describe(ctx)
	if ctx.Err() != nil {
		return false
	}
	e.mu.Lock()
	if err == nil {
		err = e.fits(u, m)
	}
	if err == nil {
		u.verified = time.Now()
	}
	e.mu.Unlock()
	if err != nil {
		e.lost(u, err)
	}
	return err == nil
}

// lost takes down that an upstream did not answer: it is asked anew what it serves before it gets
// another turn.
func (e *Engine) lost(u *upstream, err error) {
	e.options.Log.Warn("an upstream is lost", "model", e.options.Name, "upstream", u.client.base.Host, "error", err)
	e.mu.Lock()
	defer e.mu.Unlock()
	u.up = false
	u.failures.Failed(time.Now())
	e.sum()
}

func (e *Engine) apiOf(u *upstream) api {
	e.mu.Lock()
	defer e.mu.Unlock()
	return u.api
}
