package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"tenon/engine"
)

// The parts of the service that generate nothing.

// Tokenize turns text into token ids. special reads markers in it as tokens; bos puts BOS first
// where the model wants one.
func (s *Service) Tokenize(ctx context.Context, model, text string, special, bos bool) ([]int32, error) {
	return with(ctx, s.only, model, func(m Model) ([]int32, error) {
		piece := engine.Piece{Text: text, Origin: engine.Content}
		if special {
			piece.Origin = engine.Text
		}
		ids, err := m.Engine.Tokens(ctx, engine.Prompt{piece})
		if err != nil {
			return nil, fmt.Errorf("tokenize: %w", err)
		}
		if first, ok := bosID(m.Engine.Model().Vocab); !bos && ok && len(ids) > 0 && ids[0] == first {
			ids = ids[1:]
		}
		return ids, nil
	})
}

func bosID(v engine.Vocab) (int32, bool) {
	for _, m := range v.Markers {
		if v.AddBOS && m.Text == v.BOS {
			return m.ID, true
		}
	}
	return 0, false
}

// Detokenize turns token ids into text, control tokens included.
func (s *Service) Detokenize(ctx context.Context, model string, ids []int32) (string, error) {
	return with(ctx, s.only, model, func(m Model) (string, error) {
		if err := hasTokens(m, engine.Prompt{{Origin: engine.Kept, Tokens: ids}}, "tokens"); err != nil {
			return "", err
		}
		b, err := m.Engine.Text(ctx, ids, true)
		if err != nil {
			return "", fmt.Errorf("detokenize: %w", err)
		}
		return string(b), nil
	})
}

// hasTokens refuses a prompt with tokens that the model does not have.
func hasTokens(m Model, p engine.Prompt, field string) error {
	for _, piece := range p {
		for i, id := range piece.Tokens {
			if !hasToken(m, id) {
				return Invalidf(field, "has the token %d in place %d; this model's tokens are 0 to %d", id, i, m.Engine.Model().Vocab.Size-1)
			}
		}
	}
	return nil
}

// hasPrompt refuses a prompt of no token: there is nothing to go on with.
func hasPrompt(m Model, p engine.Prompt) error {
	if m.Engine.Model().Vocab.AddBOS || slices.ContainsFunc(p, func(x engine.Piece) bool { return x.Text != "" || len(x.Tokens) > 0 }) {
		return nil
	}
	return Invalidf("prompt", "is empty; expected a text or at least one token")
}

// hasToken tells whether id is one of the model's tokens, as far as is known.
func hasToken(m Model, id int32) bool {
	size := m.Engine.Model().Vocab.Size
	return id >= 0 && (size == 0 || int(id) < size)
}

// Render returns the prompt of r as text, without generating.
func (s *Service) Render(ctx context.Context, r Request) (string, error) {
	return with(ctx, s.only, r.Model, func(m Model) (string, error) {
		p, err := s.plan(m, s.dated(ctx, r))
		return p.turn.Prompt.String(), err
	})
}

// Embed returns a vector per prompt, or an *Error of kind NotSupportedHere.
func (s *Service) Embed(ctx context.Context, model string, prompts []engine.Prompt) ([]engine.Embedding, error) {
	return with(ctx, s.acquire, model, func(m Model) ([]engine.Embedding, error) {
		if !m.Engine.Model().Can.Embeddings {
			return nil, &Error{Kind: NotSupportedHere, Field: "model", Message: m.ID + " is no embedding model"}
		}
		for _, p := range prompts {
			if err := hasTokens(m, p, "input"); err != nil {
				return nil, err
			}
		}
		out, err := m.Engine.Embed(ctx, prompts)
		var over *engine.ContextError
		if errors.As(err, &over) {
			return nil, &Error{Kind: TooLong, Field: "input", Err: err, embeds: true, Message: fmt.Sprintf(
				"has a text of %d tokens, and this model takes %d at once; send it in parts", over.Prompt, over.Context)}
		}
		if err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		return out, nil
	})
}

// only is acquire for llama-server's routes, whose clients know of one model and name none.
func (s *Service) only(ctx context.Context, name *string) (Model, func(), error) {
	if *name == "" && s.Default == "" {
		return s.Models.Acquire(ctx, "")
	}
	return s.acquire(ctx, name)
}

// with acquires a model for f.
func with[T any](ctx context.Context, acquire func(context.Context, *string) (Model, func(), error), model string, f func(Model) (T, error)) (T, error) {
	var none T
	m, release, err := acquire(ctx, &model)
	if err != nil {
		return none, AsError(err)
	}
	defer release()
	out, err := f(m)
	if err != nil {
		return none, AsError(err)
	}
	return out, nil
}
