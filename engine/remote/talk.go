package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/engine/remote/chat"
)

// talk is an API that renders conversations and parses calls by itself (package chat).
type talk struct {
	served
	chat.API
	tools  bool   // they are taken; else they are told in words
	limit  string // field that bounds the answer
	thinks string // words of Can.Chat for how it is told to think
}

// talks are the ways to speak to one, the likeliest first. Each is tried: see tryTalks.
func talks(s served, a chat.API) (all []api) {
	for _, tools := range []bool{true, false} {
		for _, limit := range a.Limits {
			all = append(all, &talk{served: s, API: a, tools: tools, limit: limit})
		}
	}
	return all
}

// tryTalks finds the first way that the upstream accepts. If a tool does not lengthen the
// prompt, the upstream has dropped it.
func tryTalks(ctx context.Context, ways []api) (api, engine.Model, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	var refused error
	for _, way := range ways {
		a := way.(*talk)
		read, err := a.try(ctx, a.tools, 0)
		if err == nil && a.tools && read > 0 {
			var bare int
			bare, err = a.try(ctx, false, 0)
			a.tools = read > bare
		}
		if err == nil {
			err = a.tryThinking(ctx)
		}
		switch {
		case err == nil:
			m, err := a.describe(ctx)
			return a, m, err
		case !declines(err):
			return a, engine.Model{}, fmt.Errorf("it does not answer what it takes: %w", err)
		case refused == nil:
			refused = err // the others leave something out
		}
	}
	return nil, engine.Model{}, refused
}

// tryThinking finds the way to have it think that it does not refuse, if there is one.
func (c *talk) tryThinking(ctx context.Context) error {
	for _, words := range c.Thinks {
		thought := -1
		if words == engine.ChatBudget {
			thought = engine.LeastThought
		}
		_, err := c.try(ctx, false, thought)
		if err == nil {
			c.thinks = words
		}
		if !declines(err) {
			return err
		}
	}
	return nil
}

// declines tells whether a way does not work: it is refused, or the answer is an error. A
// llama-server ends so what its template's parser cannot read.
func declines(err error) bool { return errors.Is(err, errRefused) || errors.Is(err, errTold) }

// try takes a short turn and tells how many tokens its prompt had, 0: it is not told.
func (c *talk) try(ctx context.Context, tools bool, thought int) (read int, err error) {
	t := briefly()
	t.Wishes.Thought = thought
	t.Sampling = engine.Sampling{} // some take none
	if t.talk = (&chat.Conversation{Messages: []chat.Message{{Role: "user", Text: probePrompt}}}); tools {
		t.talk.Tools = []chat.Tool{{Name: "look_up", Description: "Looks a city up."}}
	}
	err = play(ctx, c.client, c, t, func(d delta) bool {
		if d.finish != nil {
			read = d.finish.Usage.Prompt
		}
		// a thought may be long, and a refusal would have come by now
		return d.finish == nil && thought == 0
	})
	return read, err
}

// describe implements api.
func (c *talk) describe(ctx context.Context) (engine.Model, error) {
	m, err := c.served.describe(ctx)
	words := append([]string{engine.ChatReads}, c.Words...)
	if c.tools {
		words = append(words, engine.ChatTools)
	}
	if c.thinks != "" {
		words = append(words, c.thinks)
	}
	m.Can.Chat, m.Can.Symbols, m.Can.Sampling = strings.Join(words, ","), true, c.Sampling
	for _, text := range engine.ChatMarkers {
		m.Vocab.Markers = append(m.Vocab.Markers, engine.Marker{ID: engine.NoID, Text: text})
	}
	return m, err
}

// cut implements api.
func (c *talk) cut(context.Context, string) ([]int32, error) { return nil, errRefused }

// request implements api.
func (c *talk) request(t turn) (string, any) {
	out := chat.Turn{Conversation: t.talk, Wishes: t.Wishes, Seed: t.Sampling.Seed, Limit: c.limit, Room: c.room(t)}
	if t.Budget.Tokens > 0 {
		out.Most = out.Room
	}
	body := c.Body(out)
	body["model"], body["stream"] = c.id, true
	if t.Wishes.Thought == 0 { // who thinks takes none
		sampling(body, t.Sampling, c.Sampling)
	}
	return c.Path, body
}

// reader implements api.
func (c *talk) reader(t turn) func([]byte) (delta, error) {
	return (&talkReader{completionReader: completionReader{turn: t}, api: c.API}).read
}

// talkReader reads the events of an answer. Text and thinking leave at once, calls with the end.
type talkReader struct {
	completionReader
	api    chat.API
	thinks bool // the marker before its thinking was written
	calls  chat.Calls
}

func (r *talkReader) read(data []byte) (d delta, err error) {
	if data == nil || string(data) == "[DONE]" {
		return r.end()
	}
	p, err := r.api.Read(data, &r.calls)
	if err != nil {
		return d, err
	}
	if p.ID != "" {
		// a second beginning is that of another answer
		r.steady = r.steady || p.Begins && r.events == 1
		if err := r.same(p.ID); err != nil {
			return d, err
		}
	}
	if u := p.Usage; u != nil { // an API may tell it in parts
		r.usage.Prompt, r.usage.Cached = max(r.usage.Prompt, u.Prompt), max(r.usage.Cached, u.Cached)
		r.usage.Generated = max(r.usage.Generated, u.Generated)
	}
	if p.Last {
		return r.end()
	}
	d.tokens, err = r.tokens(p)
	if r.reason == "" {
		r.reason = p.Ends
	}
	if d.ended = r.reason != ""; d.ended && err == nil && p.Usage != nil {
		last, err := r.end()
		last.tokens = append(d.tokens, last.tokens...)
		return last, err
	}
	return d, err
}

// tokens are what is new of a piece.
func (r *talkReader) tokens(p chat.Piece) (all []engine.Token, err error) {
	if r.reason != "" {
		return nil, nil // all has been said
	}
	if p.Thought != "" && !(p.Whole && r.said.pieces > 0) {
		if !r.thinks {
			r.thinks, all = true, append(all, chat.Symbol(engine.ChatMarkers[2]))
		}
		all = append(all, chat.Text(p.Thought))
	}
	text, err := r.text(p.Text, p.Whole, p.Ends)
	if text != nil {
		all = append(all, r.thought()...)
	}
	return append(all, text...), err
}

// thought ends thinking.
func (r *talkReader) thought() []engine.Token {
	if !r.thinks {
		return nil
	}
	r.thinks = false
	return []engine.Token{chat.Symbol(engine.ChatMarkers[3])}
}

// end is the end of the stream.
func (r *talkReader) end() (delta, error) {
	d, err := r.completionReader.end()
	if err != nil {
		return d, err
	}
	called, err := r.calls.Tokens(r.reason == engine.Length)
	if err != nil {
		return d, err
	}
	d.tokens, d.finish.Notes = slices.Concat(r.thought(), called), r.calls.Notes
	return d, nil
}
