package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tenon/engine"
	"tenon/engine/remote/chat"
	"tenon/grammar"
)

// ask finds out how an upstream is spoken to, what it serves and whether it keeps to grammars.
func (e *Engine) ask(ctx context.Context, u *upstream) (api, engine.Model, error) {
	ways, err := e.ways(ctx, u)
	if err != nil {
		return nil, engine.Model{}, err
	}
	first := ways[0]
	if _, chats := first.(*talk); chats {
		return tryTalks(ctx, ways)
	}
	m, err := first.describe(ctx)
	if err == nil {
		m, err = e.local(ctx, first, m)
	}
	if e.options.Context > 0 {
		m.Context = min(m.Context, e.options.Context)
	}
	if err != nil || m.Can.Mask != engine.PrintedMask {
		return first, m, err
	}
	unmasked := m
	for i, a := range ways {
		p, err := e.probe(ctx, u.client, a, m)
		if err != nil {
			return a, m, err
		}
		if p.obeyed {
			m.Can.Conclude = true // where the grammar ends is known here
			m.Can.IDs = m.Can.IDs && p.ids
			// in other dialects letters may spell a marker
			m.Can.Symbols = m.Can.Symbols && p.ids && a.target() == grammar.GBNF
			return a, m, nil
		}
		if i == 0 {
			unmasked.Can.IDs, unmasked.Can.Symbols = m.Can.IDs && p.ids, m.Can.Symbols && p.ids
		}
	}
	e.options.Log.Warn("an upstream follows no grammar: calls are validated, not constrained", "model", e.options.Name, "upstream", u.client.base.Host)
	unmasked.Can.Mask = engine.NoMask
	return first, unmasked, nil
}

// ways are how an upstream may be spoken to, the likeliest first. Its list of models says what it
// is, unless its address does.
func (e *Engine) ways(ctx context.Context, u *upstream) ([]api, error) {
	c, name := u.client, u.address.API
	llama := []api{&llamaServer{client: c}}
	if name == LlamaServer {
		return llama, nil
	}
	s, owner, err := serves(ctx, u)
	if err != nil {
		return nil, err
	}
	if e.options.Context > 0 && (s.context == 0 || e.options.Context < s.context) {
		s.context = e.options.Context
	}
	if name == "" {
		name = owners[owner]
	}
	if name == "" { // an old llama-server, or any other
		if _, err := llama[0].describe(ctx); !errors.Is(err, errRefused) {
			return llama, err
		}
	}
	if s.context == 0 && name != LlamaServer {
		return nil, &worded{"it does not say how long its context is: set ctx-size", engine.ErrWorkerLost}
	}
	switch name {
	case LlamaServer:
		return llama, nil
	case VLLM:
		return vllm(s), nil
	case SGLang:
		return []api{&sglang{s}}, nil
	case Chat:
		return talks(s, chat.Completions), nil
	case Messages:
		return talks(s, chat.Messages), nil
	}
	plain := &completions{served: s}
	if name == "" && errors.Is(play(ctx, c, plain, briefly(), func(delta) bool { return false }), errRefused) {
		return talks(s, chat.Completions), nil
	}
	return []api{plain}, nil
}

// serves finds the model that an upstream serves in its list of models, and who owns it. An alias
// may be missing in the list. An upstream that chats is trusted to know it none the less.
func serves(ctx context.Context, u *upstream) (s served, owner string, err error) {
	named := u.address.Model
	var all modelList
	err = u.client.call(ctx, "/v1/models", nil, &all)
	at := slices.IndexFunc(all.Data, func(m listed) bool { return named == "" || m.ID == named })
	unlisted := named != "" && (u.address.API == Chat || u.address.API == Messages) && (err == nil || errors.Is(err, errRefused))
	switch {
	case at >= 0:
		one := all.Data[at]
		return served{client: u.client, id: one.ID, root: one.Root, context: cmp.Or(one.Context, one.Input)}, one.Owner, nil
	case unlisted:
		return served{client: u.client, id: named, unlisted: true}, "", nil
	case err == nil:
		err = fmt.Errorf("%w: no model %q is served there", errOther, named)
	}
	return s, "", err
}

// owners are the servers that tell in their list of models who they are.
var owners = map[string]API{"llamacpp": LlamaServer, "vllm": VLLM, "sglang": SGLang}

// sample is cut into tokens here and there: the vocabularies must be one.
const sample = "The 3 wise men's \"tokens\" — Grüße, 天气 {\"a\": [1, 2]}\n\t<end>"

// local is a description of a model whose vocabulary is here as well. An upstream that does not
// tell how it cuts a text gets texts: what cannot be compared is not relied upon.
func (e *Engine) local(ctx context.Context, a api, m engine.Model) (engine.Model, error) {
	v := e.options.Vocabulary
	if v == nil || m.Can.Chat != "" {
		return m, nil
	}
	file := v.Model()
	m.Template = e.template(m.Template, false)
	there, err := a.cut(ctx, sample)
	if errors.Is(err, errRefused) {
		e.options.Log.Warn("an upstream cuts no text into tokens: prompts go as text", "model", e.options.Name, "reason", err)
		return m, nil
	}
	if err != nil {
		return m, err
	}
	here, err := v.Tokens(ctx, engine.Prompt{{Text: sample, Origin: engine.Content}})
	if err != nil {
		return m, fmt.Errorf("tokenize: %w", err)
	}
	// BOS comes before
	if n := len(here) - len(there); n < 0 || n > 1 || !slices.Equal(here[n:], there) {
		return m, fmt.Errorf("%w: what is named as its source has another vocabulary than the model that is served: %q has the tokens %d here, and %d there; leave source out, and prompts go as text", errOther, sample, here, there)
	}
	m.Vocab, m.Metadata, m.Architecture = file.Vocab, file.Metadata, file.Architecture
	m.Can.IDs, m.Can.Tokenizer, m.Can.Symbols = true, engine.LocalTokenizer, true
	return m, nil
}

// template is the model's, of what an upstream tells. A llama-server tells one of its own for a
// model whose file has none. One that chats tells none.
func (e *Engine) template(told string, chats bool) string {
	if e.options.Vocabulary == nil || chats {
		return told
	}
	file := e.options.Vocabulary.Model()
	// a tokenizer's folder may lack it
	if whole := file.Architecture != ""; whole && file.Template == "" {
		return ""
	}
	return cmp.Or(told, file.Template)
}

// unlikely is a grammar that no model follows by itself. It has what printed grammars have: an
// upstream that cannot read their classes keeps to none of them.
const unlikely = `root ::= "qzx-" [0-9] [^\"\\\x00-\x1F] "zqx"`

var unlikelyText = regexp.MustCompile(`^qzx-[0-9][^\x00-\x1f"\\]zqx`)

// probePrompt goes on as everybody knows.
const probePrompt = "The capital of France is"

// briefly is a short turn.
func briefly() turn {
	cold := float32(0)
	return turn{Turn: engine.Turn{
		Prompt: engine.Plain(probePrompt), Sampling: engine.Sampling{Numbers: engine.Numbers{Temperature: &cold}}, Budget: engine.Budget{Tokens: 24}, Logprobs: -1,
	}}
}

// probed is what an upstream did with a short turn.
type probed struct {
	// it kept to a grammar. One that parses thinking, say, may leave it out without a word
	obeyed bool
	ids    bool // its tokens have ids
}

// probe tries a short turn with a grammar. An upstream that is too busy to answer has told
// nothing: that is an error.
func (e *Engine) probe(ctx context.Context, c *client, a api, m engine.Model) (p probed, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	t := briefly()
	switch far, ok := a.(tokenizer); {
	case m.Can.Tokenizer == engine.LocalTokenizer:
		t.ids, err = e.options.Vocabulary.Tokens(ctx, t.Prompt)
	case ok:
		t.ids, err = far.tokens(ctx, t.Prompt)
	}
	if err != nil {
		return p, err
	}
	var said strings.Builder
	// one that refuses it has ids all the same
	for _, t.grammar = range []string{unlikely, ""} {
		err = play(ctx, c, a, t, func(d delta) bool {
			for _, token := range d.tokens {
				p.ids = p.ids || token.ID != engine.NoID
				e.spell(&token)
				said.Write(token.Bytes)
			}
			return d.finish == nil
		})
		if !errors.Is(err, errRefused) {
			break
		}
	}
	if errors.Is(err, engine.ErrBusy) || ctx.Err() != nil {
		return p, fmt.Errorf("it does not answer whether it follows grammars: %w", err)
	}
	p.obeyed = unlikelyText.MatchString(said.String()) // what it said before an error counts
	return p, nil
}
