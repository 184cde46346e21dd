package responses

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"slices"
	"time"

	"tenon/server/wire"
)

// newResponse is an answer before anything is generated: the request's settings, echoed as the
// description demands.
func newResponse(w createRequest, d *decoder) response {
	r := response{
		ID: "resp_" + rand.Text(), Object: "response", CreatedAt: time.Now().Unix(), Status: "in_progress", Background: w.Background,
		Instructions: w.Instructions, MaxOutputTokens: w.MaxOutputTokens, Model: w.Model,
		Output: []any{}, ParallelToolCalls: w.ParallelToolCalls == nil || *w.ParallelToolCalls,
		Store: w.Store == nil || *w.Store, Temperature: w.Temperature, TopP: w.TopP,
		Text: textConfig{Format: &textFormat{Type: "text"}}, ToolChoice: json.RawMessage(`"auto"`),
		Tools: d.tools, Truncation: cmp.Or(w.Truncation, "disabled"), ServiceTier: "default", Metadata: w.Metadata,
	}
	if w.PreviousResponseID != "" {
		r.PreviousResponseID = &w.PreviousResponseID
	}
	if w.Text != nil {
		r.Text.Verbosity = w.Text.Verbosity
		if w.Text.Format != nil {
			r.Text.Format = w.Text.Format
		}
	}
	if !wire.IsNull(w.ToolChoice) {
		r.ToolChoice = w.ToolChoice
	}
	if w.Reasoning != nil {
		r.Reasoning = *w.Reasoning
	}
	if w.TopLogprobs != nil {
		r.TopLogprobs = *w.TopLogprobs
	}
	if r.Metadata == nil {
		r.Metadata = map[string]string{}
	}
	return r
}

func newBuilder(w createRequest, d *decoder) *builder {
	return &builder{
		response: newResponse(w, d),
		summary:  w.Reasoning != nil && w.Reasoning.Summary != nil,
		timings:  w.TimingsPerToken,
		packed:   slices.Contains(w.Include, includeReasoning),
	}
}
