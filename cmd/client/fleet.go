package client

import (
	"context"
	"errors"
	"net/http"
)

// Health is how far the server is.
type Health struct {
	Status   string  `json:"status"` // ok, loading, draining, error
	Model    string  `json:"model,omitempty"`
	Progress float64 `json:"progress,omitempty"`
	Error    string  `json:"error,omitempty"`
}

// Health asks how far the server is. A server that is not ready is no error.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var h Health
	err := c.Get(ctx, "/health", &h)
	var refused *Error
	if errors.As(err, &refused) && refused.Status == http.StatusServiceUnavailable && refused.Health != nil {
		return *refused.Health, nil
	}
	return h, err
}

// Model is one at hand.
type Model struct {
	ID           string   `json:"id"`
	Aliases      []string `json:"aliases"`
	Architecture string   `json:"architecture"`
	Quantization string   `json:"quantization"`
	Context      int      `json:"context_length"`
	MaxContext   int      `json:"max_context_length"`
	State        string   `json:"state"`
	Capabilities []string `json:"capabilities"`
	Error        string   `json:"error,omitempty"`
}

// Models lists what is at hand.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	var list struct {
		Data []Model `json:"data"`
	}
	err := c.Get(ctx, "/v1/models", &list)
	return list.Data, err
}
