package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

type object = map[string]any

// answer is what a request cost.
type answer struct {
	prompt, cached, generated int
	took                      time.Duration
	message                   json.RawMessage // of a chat
	text                      string          // of a completion
}

// perSecond is so many things in the time that the answer took.
func (a answer) perSecond(n int) float64 { return float64(n) / a.took.Seconds() }

// complete has a text continued, greedily.
func (c *contender) complete(ctx context.Context, prompt string, tokens int) (answer, error) {
	return c.ask(ctx, "/v1/completions", object{"prompt": prompt, "max_tokens": tokens})
}

// ask posts a request and waits for the whole answer, which is greedy if nothing else is said.
func (c *contender) ask(ctx context.Context, path string, body object) (answer, error) {
	if body["model"] = c.model; body["temperature"] == nil {
		body["temperature"] = 0
	}
	data, err := json.Marshal(body)
	if err != nil {
		return answer{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+path, bytes.NewReader(data))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	var out struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
			Text    string          `json:"text"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
			Details    struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	begin := time.Now()
	if err := do(r, &out); err != nil {
		return answer{}, fmt.Errorf("%s: %w", c.name, err)
	}
	a := answer{prompt: out.Usage.Prompt, cached: out.Usage.Details.Cached, generated: out.Usage.Completion, took: time.Since(begin)}
	if len(out.Choices) > 0 {
		a.message, a.text = out.Choices[0].Message, out.Choices[0].Text
	}
	return a, nil
}

func (c *contender) get(ctx context.Context, path string, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+path, nil)
	if err != nil {
		return err
	}
	return do(r, into)
}

func do(r *http.Request, into any) error {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %.300s", r.URL.Path, resp.Status, data)
	}
	return json.Unmarshal(data, into)
}
