package server

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"tenon/engine"
	"tenon/models/catalog"
	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/chat/loader"
)

// Models lists what can be served. *fleet.Fleet implements it.
type Models interface {
	Status() []fleet.Status
}

// modelList is one answer for three readers: OpenAI clients read data, Codex reads models,
// Anthropic's SDKs page by first_id, last_id and has_more.
type modelList struct {
	Object  string      `json:"object"` // "list"
	Data    []modelInfo `json:"data"`
	Models  []modelInfo `json:"models"`
	FirstID *string     `json:"first_id"`
	LastID  *string     `json:"last_id"`
	HasMore bool        `json:"has_more"`
}

type modelInfo struct {
	ID          string   `json:"id"`
	Object      string   `json:"object"` // "model"
	Type        string   `json:"type"`   // "model", for Anthropic
	Created     int64    `json:"created"`
	CreatedAt   string   `json:"created_at"`
	OwnedBy     string   `json:"owned_by"`
	DisplayName string   `json:"display_name"`
	Slug        string   `json:"slug"` // the id, for Codex
	Aliases     []string `json:"aliases,omitempty"`
	State       string   `json:"state"`
	// Of a model without a file here these are known once it is loaded, and left out before.
	ContextLength int `json:"context_length,omitempty"` // tokens one request may use
	// tokens the model was trained for
	MaxContextLength int `json:"max_context_length,omitempty"`
	// context_length, for Anthropic: prompt and answer share it
	MaxInputTokens int `json:"max_input_tokens,omitempty"`
	MaxTokens      int `json:"max_tokens,omitempty"` // the same, of an answer
	// The same for others: each client reads one of them, and compacts too late or never where
	// it finds none.
	MaxOutputTokens     int       `json:"max_output_tokens,omitempty"`
	MaxModelLength      int       `json:"max_model_len,omitempty"`         // vLLM's
	LoadedContextLength int       `json:"loaded_context_length,omitempty"` // LM Studio's
	Meta                modelMeta `json:"meta"`                            // llama-server's
	Architecture        string    `json:"architecture,omitempty"`
	Quantization        string    `json:"quantization,omitempty"`
	Capabilities        []string  `json:"capabilities"`
	// How the server's promises hold on the model's engine, and what that can do; known once
	// it is loaded.
	Guarantees map[string]string `json:"guarantees,omitempty"`
	Engine     *engine.Can       `json:"engine,omitempty"`
	Error      string            `json:"error,omitempty"` // why it could not be loaded
	Warnings   []string          `json:"warnings,omitempty"`
}

type modelMeta struct {
	Context        int   `json:"n_ctx,omitempty"`
	ContextTrained int   `json:"n_ctx_train,omitempty"`
	Size           int64 `json:"size,omitempty"` // bytes
}

// unknownDate is when every model was made: a file's age says nothing about its model.
const unknownDate = "1970-01-01T00:00:00Z"

// modelFacts are what is known of models beside their status; each may be nil.
type modelFacts struct {
	warnings func(id string) []string
	traits   func(catalog.Entry) loader.Traits
	slots    func(id string) int
}

// of is what the model's file says; of a loaded model its engine's word counts.
func (k modelFacts) of(s fleet.Status) (t loader.Traits) {
	if k.traits != nil {
		t = k.traits(s.Entry)
	}
	if s.State == fleet.Loaded {
		t.ChatTemplate, t.BOS, t.EOS = s.Model.Template, s.Model.Vocab.BOS, s.Model.Vocab.EOS
	}
	return t
}

// slotsOf is how many turns a model runs at once, 0 if that is not known.
func (k modelFacts) slotsOf(s fleet.Status) int {
	if s.State != fleet.Loaded && k.slots != nil {
		return k.slots(s.ID)
	}
	return s.Model.Slots
}

func listModels(m Models, k modelFacts) gin.HandlerFunc {
	return func(c *gin.Context) {
		list := modelList{Object: "list", Data: []modelInfo{}}
		for _, s := range m.Status() {
			list.Data = append(list.Data, k.describe(s))
		}
		if err := list.cut(c.Request.URL.Query()); err != nil {
			writeError(c, err)
			return
		}
		list.Models = list.Data
		if n := len(list.Data); n > 0 {
			list.FirstID, list.LastID = &list.Data[0].ID, &list.Data[n-1].ID
		}
		c.JSON(http.StatusOK, list)
	}
}

// cut leaves the page that a query asks for, as Anthropic's clients do: limit, after_id,
// before_id. Without them the list stays whole: OpenAI's clients do not turn pages.
func (l *modelList) cut(q url.Values) *chat.Error {
	const most = 1000
	limit := len(l.Data)
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return chat.Invalidf("limit", "is %q; expected 1 to %d", text, most)
		}
		limit = n
	}
	from, to := 0, len(l.Data)
	for _, end := range []struct {
		name  string
		place *int
		skip  int
	}{{"after_id", &from, 1}, {"before_id", &to, 0}} {
		id := q.Get(end.name)
		if id == "" {
			continue
		}
		i := slices.IndexFunc(l.Data, func(m modelInfo) bool { return m.ID == id })
		if i < 0 {
			return chat.Invalidf(end.name, "is %q, which is not in the list", id)
		}
		*end.place = i + end.skip
	}
	page := l.Data[min(from, to):to]
	l.HasMore = len(page) > limit
	switch {
	case !l.HasMore:
	case q.Get("before_id") != "": // the page ends there
		page = page[len(page)-limit:]
	default:
		page = page[:limit]
	}
	l.Data = page
	return nil
}

// getModel answers for an id, which may hold slashes, or an alias; under any other name for the
// model that is served in its place.
func getModel(m Models, other string, k modelFacts) gin.HandlerFunc {
	return func(c *gin.Context) {
		id := strings.TrimPrefix(c.Param("id"), "/")
		s, name, err := findModel(m, id)
		if err != nil && other != "" {
			name = id
			s, err = asked(m, id, other)
		}
		if err != nil {
			writeError(c, err)
			return
		}
		info := k.describe(s)
		info.ID, info.Slug = name, name
		c.JSON(http.StatusOK, info)
	}
}

// findModel returns the model that a name means, as people type it, and how its id or the alias is
// spelled.
func findModel(m Models, name string) (fleet.Status, string, *chat.Error) {
	all, known := m.Status(), &catalog.Catalog{}
	for _, s := range all {
		known.Entries = append(known.Entries, s.Entry)
	}
	e, err := known.Resolve(name)
	if err == nil && name == "" {
		err = &catalog.NotFoundError{Name: name, Known: known.Names()}
	}
	if err != nil {
		var shaped *chat.Error
		_ = errors.As(loader.OfFleet(err), &shaped) // every error of Resolve has a kind
		return fleet.Status{}, "", shaped
	}
	spelled := e.ID
	for _, alias := range e.Aliases {
		if strings.EqualFold(alias, name) {
			spelled = alias
		}
	}
	return all[slices.IndexFunc(all, func(s fleet.Status) bool { return s.ID == e.ID })], spelled, nil
}

func (k modelFacts) describe(s fleet.Status) modelInfo {
	info := modelInfo{
		ID: s.ID, Object: "model", Type: "model", OwnedBy: "tenon", DisplayName: s.ID, Slug: s.ID, Aliases: s.Aliases,
		CreatedAt: unknownDate,
		State:     string(s.State), Architecture: s.Architecture, Quantization: s.Quantization,
		ContextLength: cmp.Or(s.Context, s.ContextTrained), MaxContextLength: s.ContextTrained,
		Capabilities: k.capabilities(s),
	}
	if s.State == fleet.Loaded {
		info.Engine, info.Guarantees = &s.Model.Can, s.Model.Can.Kept()
		info.ContextLength = s.Model.Context
		if s.Model.ContextTrained > 0 {
			info.MaxContextLength = s.Model.ContextTrained
		}
	}
	n := info.ContextLength
	info.MaxInputTokens, info.MaxTokens, info.MaxOutputTokens, info.MaxModelLength, info.LoadedContextLength = n, n, n, n, n
	info.Meta = modelMeta{n, info.MaxContextLength, s.Size}
	if k.warnings != nil {
		info.Warnings = k.warnings(s.ID)
	}
	if s.Err != nil {
		info.Error = s.Err.Error()
	}
	return info
}

// capabilities are what a model was made for: of tools they say what its template shows. Others
// are given tools too, in words.
func (k modelFacts) capabilities(s fleet.Status) []string {
	traits := loader.Traits{Tools: true}
	if k.traits != nil {
		traits = k.traits(s.Entry)
	}
	switch {
	case traits.Embeds || s.State == fleet.Loaded && s.Model.Can.Embeddings:
		return []string{"embeddings"}
	case traits.Tools:
		return []string{"completion", "tools"}
	}
	return []string{"completion"}
}
