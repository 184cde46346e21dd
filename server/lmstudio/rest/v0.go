package rest

import (
	"cmp"
	"net/http"

	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/wire"
)

// modelV0 is an entry of GET /api/v0/models. Its words are enums to some clients: one that they
// do not know costs them the list.
type modelV0 struct {
	ID            string   `json:"id"`
	Object        string   `json:"object"` // "model"
	Type          string   `json:"type"`   // "llm", "embeddings"
	Publisher     string   `json:"publisher"`
	Architecture  string   `json:"arch"`
	Compatibility string   `json:"compatibility_type"` // "gguf"
	Quantization  string   `json:"quantization"`
	State         string   `json:"state"` // "loaded", "loading", "not-loaded"
	MaxContext    int      `json:"max_context_length"`
	LoadedContext int      `json:"loaded_context_length"` // that it has or would be loaded with: Zed takes the longest for the window without it
	Capabilities  []string `json:"capabilities"`
}

// ModelsV0 serves GET /api/v0/models.
func (a *API) ModelsV0(w http.ResponseWriter, _ *http.Request) {
	wire.WriteJSON(w, http.StatusOK, map[string]any{"object": "list", "data": a.listV0()})
}

// ModelV0 serves GET /api/v0/models/{id}. An unknown name gets the default model, if there is one.
func (a *API) ModelV0(w http.ResponseWriter, _ *http.Request, id string) {
	m, err := a.models.Find(id)
	called := m.ID
	if err != nil && a.models.Default != "" {
		called = id
		m, err = a.models.Find(a.models.Default)
	}
	if err != nil {
		WriteError(w, err)
		return
	}
	for _, one := range a.listV0() {
		if one.ID == m.ID {
			one.ID = called
			wire.WriteJSON(w, http.StatusOK, one)
		}
	}
}

func (a *API) listV0() []modelV0 {
	all := []modelV0{}
	for _, s := range a.models.Status() {
		m := a.models.Model(s.Entry)
		one := modelV0{
			ID: m.ID, Object: "model", Type: "llm", Publisher: m.Publisher(), Architecture: m.Architecture, Compatibility: "gguf",
			Quantization: m.Quantization, State: "not-loaded", MaxContext: m.ContextTrained, LoadedContext: cmp.Or(s.Context, m.ContextTrained), Capabilities: []string{},
		}
		switch s.State {
		case fleet.Loaded:
			one.State, one.LoadedContext = "loaded", s.Model.Context
		case fleet.Loading, fleet.Waiting:
			one.State = "loading"
		}
		if m.Embeds {
			one.Type = "embeddings"
		} else if m.Tools {
			one.Capabilities = append(one.Capabilities, "tool_use")
		}
		all = append(all, one)
	}
	return all
}

// Extra is what v0 tells beside OpenAI's answers.
func (a *API) Extra(name string, f chat.Finish) *wire.Extra {
	s := lmstudio.OfFinish(f)
	name, _ = a.models.Asked(name) // it has just answered
	i, _ := a.models.FindLoaded(name)
	return &wire.Extra{
		Stats: map[string]any{
			"tokens_per_second": s.TokensPerSecond, "time_to_first_token": s.FirstToken.Seconds(), "generation_time": s.Generation.Seconds(), "stop_reason": s.StopReason,
		},
		Model:   map[string]any{"arch": i.Model.Architecture, "quant": i.Model.Quantization, "format": "gguf", "context_length": i.Context()},
		Runtime: map[string]any{"name": "tenon", "version": "llama.cpp", "supported_formats": []string{"gguf"}},
	}
}
