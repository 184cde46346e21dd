package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"tenon/server/fleet"
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
	Context      int      `json:"context_length"`
	State        string   `json:"state"`
	Capabilities []string `json:"capabilities"`
}

// Models lists what is at hand.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	var list struct {
		Data []Model `json:"data"`
	}
	err := c.Get(ctx, "/v1/models", &list)
	return list.Data, err
}

// Fleet lists what is at hand.
func (c *Client) Fleet(ctx context.Context) ([]fleet.Model, error) {
	var list struct{ Models []fleet.Model }
	err := c.Get(ctx, "/tenon/v1/models", &list)
	return list.Models, err
}

// Instances lists what is loaded, or about to be.
func (c *Client) Instances(ctx context.Context) ([]fleet.Instance, error) {
	var list struct{ Instances []fleet.Instance }
	err := c.Get(ctx, "/tenon/v1/ps", &list)
	return list.Instances, err
}

// Progress is how far long work is: a load's share, or bytes of a file.
type Progress struct {
	State string  `json:"state"`
	Share float64 `json:"progress"`
	Done  int64   `json:"done"`
	Total int64   `json:"total"`
	File  string  `json:"file"`
}

// Work posts to a route whose answer may take long, tells show how far it is, and decodes its
// result.
func (c *Client) Work(ctx context.Context, path string, in map[string]any, show func(Progress), out any) error {
	in["stream"] = true
	ended := false
	err := c.Stream(ctx, http.MethodPost, path, in, func(event string, data []byte) error {
		switch event {
		case "progress":
			var p Progress
			if err := json.Unmarshal(data, &p); err != nil {
				return fmt.Errorf("read the server's stream: %w", err)
			}
			show(p)
		case "error":
			var said struct{ Error *Error }
			if json.Unmarshal(data, &said) == nil && said.Error != nil {
				return said.Error
			}
			return fmt.Errorf("the server stopped: %s", data)
		case "done":
			ended = true
			if err := json.Unmarshal(data, out); err != nil {
				return fmt.Errorf("read the server's answer: %w", err)
			}
			return io.EOF
		}
		return nil
	})
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err == nil && !ended {
		err = errors.New("the server's stream ended before its work")
	}
	return err
}
