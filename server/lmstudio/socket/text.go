package socket

import (
	"context"

	"tenon/engine"
)

func tokenize(ctx context.Context, c *conn, p specified) (any, error) {
	ids, err := c.tokens(ctx, p)
	if err != nil {
		return nil, err
	}
	return packet{"tokens": ids}, nil
}

func countTokens(ctx context.Context, c *conn, p specified) (any, error) {
	ids, err := c.tokens(ctx, p)
	if err != nil {
		return nil, err
	}
	return packet{"tokenCount": len(ids)}, nil
}

// tokens are a text's, markers in it read as tokens: clients count the prompts that
// applyPromptTemplate has made.
func (c *conn) tokens(ctx context.Context, p specified) ([]int32, error) {
	i, err := c.find(ctx, p.Specifier)
	if err != nil {
		return nil, err
	}
	ids, err := c.server.Service.Tokenize(ctx, i.ID, p.Input, true, false)
	if ids == nil {
		ids = []int32{}
	}
	return ids, err
}

func embedString(ctx context.Context, c *conn, p struct {
	Model specifier `json:"modelSpecifier"`
	Input string    `json:"inputString"`
}) (any, error) {
	i, err := c.find(ctx, p.Model)
	if err != nil {
		return nil, err
	}
	vectors, err := c.server.Service.Embed(ctx, i.ID, []engine.Prompt{engine.Plain(p.Input)})
	if err != nil {
		return nil, err
	}
	return packet{"embedding": vectors[0].Vector}, nil
}
