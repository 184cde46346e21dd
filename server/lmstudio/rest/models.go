package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/wire"
)

// model is an entry of GET /api/v1/models. What is null where it is not known is no omission.
type model struct {
	Type         string        `json:"type"` // "llm", "embedding"
	Publisher    string        `json:"publisher"`
	Key          string        `json:"key"`
	DisplayName  string        `json:"display_name"`
	Architecture *string       `json:"architecture,omitempty"`
	Quantization *quantization `json:"quantization"`
	Size         int64         `json:"size_bytes"`
	Params       *string       `json:"params_string"`
	Loaded       []instance    `json:"loaded_instances"`
	MaxContext   int           `json:"max_context_length"`
	Format       string        `json:"format"` // "gguf"
	Can          *capabilities `json:"capabilities,omitempty"`

	// null, of an llm: none is known
	Description json.RawMessage `json:"description,omitempty"`
}

type quantization struct {
	Name string `json:"name"`
	Bits int    `json:"bits_per_weight"`
}

type instance struct {
	ID     string     `json:"id"`
	Config loadConfig `json:"config"`
}

type loadConfig struct {
	Context        int   `json:"context_length"`
	Batch          int   `json:"eval_batch_size,omitempty"`
	Parallel       int   `json:"parallel,omitempty"`
	FlashAttention *bool `json:"flash_attention,omitempty"`
}

type capabilities struct {
	Vision    bool       `json:"vision"`
	Tools     bool       `json:"trained_for_tool_use"`
	Reasoning *reasoning `json:"reasoning,omitempty"`
}

type reasoning struct {
	Allowed []string `json:"allowed_options"`
	Default string   `json:"default"`
}

// Models serves GET /api/v1/models.
func (a *API) Models(w http.ResponseWriter, _ *http.Request) {
	all := []model{}
	for _, m := range a.models.All() {
		all = append(all, a.describe(m))
	}
	wire.WriteJSON(w, http.StatusOK, map[string]any{"models": all})
}

func (a *API) describe(m lmstudio.Model) model {
	out := model{
		Type: m.Kind(), Publisher: m.Publisher(), Key: m.ID, DisplayName: m.ID, Size: m.Size, MaxContext: m.ContextTrained, Format: "gguf", Loaded: []instance{}, Params: wire.Optional(m.Parameters),
	}
	if bits, ok := m.Bits(); ok {
		out.Quantization = &quantization{m.Quantization, bits}
	}
	for _, i := range a.models.Loaded() {
		if i.Entry.ID == m.ID {
			out.Loaded = append(out.Loaded, instance{i.ID, config(i)})
		}
	}
	if m.Embeds {
		return out
	}
	out.Architecture, out.Can, out.Description = wire.Optional(m.Architecture), &capabilities{Tools: m.Tools}, json.RawMessage("null")
	if m.Thinks {
		out.Can.Reasoning = &reasoning{Allowed: options(m), Default: "on"}
	}
	return out
}

// options are what a chat may ask of a model's thinking.
func options(m lmstudio.Model) []string {
	if !m.Thinks {
		return []string{"off"}
	}
	return append([]string{"off", "on"}, m.Efforts...)
}

// config tells how an instance was loaded. Of an embedding model it is the context alone.
func config(i lmstudio.Instance) loadConfig {
	c := loadConfig{Context: i.Context()}
	if !i.Model.Embeds {
		c.Batch, c.Parallel = i.Settings.Batch, i.Instance.Model.Slots
		if on := i.Settings.FlashAttention == "on"; on || i.Settings.FlashAttention == "off" {
			c.FlashAttention = &on
		}
	}
	return c
}

type loadRequest struct {
	Model          string          `json:"model"`
	Context        *int            `json:"context_length"`
	Batch          *int            `json:"eval_batch_size"`
	FlashAttention *bool           `json:"flash_attention"`
	Echo           bool            `json:"echo_load_config"`
	TTL            *int            `json:"ttl"` // seconds; an addition, as are the next three
	Parallel       *int            `json:"parallel"`
	Identifier     string          `json:"identifier"`
	GPU            json.RawMessage `json:"gpu"` // as lms load has it: max, off, or a share
}

// unusedOfLoads are documented members of a load that have no effect.
var unusedOfLoads = map[string]wire.Type{"num_experts": wire.Integer, "offload_kv_cache_to_gpu": wire.Boolean}

// request says in neutral terms how a model is to be loaded.
func (r loadRequest) request(m lmstudio.Model) (out fleet.Request, err error) {
	out = fleet.Request{Name: m.ID, ID: r.Identifier}
	s, seconds := &out.Settings, 0
	if r.FlashAttention != nil {
		s.FlashAttention = map[bool]string{true: "on", false: "off"}[*r.FlashAttention]
	}
	err = decodeSizes(size{"context_length", r.Context, &s.Context}, size{"eval_batch_size", r.Batch, &s.Batch}, size{"parallel", r.Parallel, &s.Slots}, size{"ttl", r.TTL, &seconds})
	if err == nil && !wire.IsNull(r.GPU) {
		s.GPULayers, err = m.Offload("gpu", r.GPU)
	}
	out.TTL = time.Duration(seconds) * time.Second
	return out, err
}

type loaded struct {
	Type     string      `json:"type"`
	ID       string      `json:"instance_id"`
	LoadTime float64     `json:"load_time_seconds"`
	Status   string      `json:"status"` // "loaded"
	Config   *loadConfig `json:"load_config,omitempty"`
}

// Load serves POST /api/v1/models/load.
func (a *API) Load(w http.ResponseWriter, r *http.Request) {
	change(w, r, unusedOfLoads, func(ctx context.Context, p loadRequest) (any, error) {
		if p.Model == "" {
			return nil, missing("model")
		}
		m, err := a.models.Find(p.Model)
		if err != nil {
			return nil, err
		}
		asked, err := p.request(m)
		if err != nil {
			return nil, err
		}
		begun := time.Now()
		made, err := a.models.Load(ctx, asked)
		if err != nil {
			return nil, lmstudio.LoadError(err)
		}
		i := a.models.Instance(made)
		out := loaded{Type: m.Kind(), ID: i.ID, LoadTime: time.Since(begun).Seconds(), Status: "loaded"}
		if p.Echo {
			out.Config = new(config(i))
		}
		return out, nil
	})
}

type unloadBody struct {
	ID string `json:"instance_id"`
}

// Unload serves POST /api/v1/models/unload.
func (a *API) Unload(w http.ResponseWriter, r *http.Request) {
	change(w, r, nil, func(ctx context.Context, p unloadBody) (any, error) {
		if p.ID == "" {
			return nil, missing("instance_id")
		}
		i, ok := a.models.FindLoaded(p.ID)
		if !ok {
			return nil, &chat.Error{Kind: chat.NotFound, Field: "instance_id", Message: "no loaded model is called " + p.ID}
		}
		return unloadBody{i.ID}, lmstudio.LoadError(a.models.Unload(ctx, i.ID, true))
	})
}

// download tells of a fetched model, or of one that is.
type download struct {
	ID string `json:"job_id,omitempty"`
	// "downloading", "completed", "failed", "already_downloaded"
	Status    string   `json:"status"`
	Total     *int64   `json:"total_size_bytes,omitempty"`
	Done      *int64   `json:"downloaded_bytes,omitempty"`
	PerSecond *float64 `json:"bytes_per_second,omitempty"`
	End       string   `json:"estimated_completion,omitempty"`
	Started   string   `json:"started_at,omitempty"`
	Completed string   `json:"completed_at,omitempty"`
	Error     string   `json:"error,omitempty"` // of one that failed; an addition
}

func encodeDownload(d lmstudio.Download) download {
	if d.ID == "" {
		return download{Status: "already_downloaded"}
	}
	out := download{ID: d.ID, Status: "downloading", Total: &d.Total, Done: &d.Done, Started: timestamp(d.Started)}
	switch {
	case d.Err != nil:
		out.Status, out.Error = "failed", chat.AsError(d.Err).Message
	case !d.Completed.IsZero():
		out.Status, out.Completed = "completed", timestamp(d.Completed)
	default:
		out.PerSecond = &d.PerSecond
		if d.Left > 0 {
			out.End = timestamp(time.Now().Add(d.Left))
		}
	}
	return out
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

type downloadRequest struct {
	Model        string `json:"model"`
	Quantization string `json:"quantization"`
}

// Download serves POST /api/v1/models/download. It goes on when the client leaves.
func (a *API) Download(w http.ResponseWriter, r *http.Request) {
	change(w, r, nil, func(ctx context.Context, p downloadRequest) (any, error) {
		if p.Model == "" {
			return nil, missing("model")
		}
		source, err := lmstudio.Source(p.Model, p.Quantization)
		if err != nil {
			return nil, err
		}
		d, err := a.downloads.Start(ctx, a.models, source)
		return encodeDownload(d), err
	})
}

// DownloadStatus serves GET /api/v1/models/download/status/{id}.
func (a *API) DownloadStatus(w http.ResponseWriter, _ *http.Request, id string) {
	d, ok := a.downloads.Get(id)
	if !ok {
		wire.WriteJSON(w, http.StatusNotFound, errorBody{wireError{Type: "job_not_found", Message: "there is no download " + id, Param: "job_id"}})
		return
	}
	wire.WriteJSON(w, http.StatusOK, encodeDownload(d))
}

// modelV0 is an entry of GET /api/v0/models. Its words are enums to some clients: one that they
// do not know costs them the list.
type modelV0 struct {
	ID            string `json:"id"`
	Object        string `json:"object"` // "model"
	Type          string `json:"type"`   // "llm", "embeddings"
	Publisher     string `json:"publisher"`
	Architecture  string `json:"arch"`
	Compatibility string `json:"compatibility_type"` // "gguf"
	Quantization  string `json:"quantization"`
	State         string `json:"state"` // "loaded", "loading", "not-loaded"
	MaxContext    int    `json:"max_context_length"`
	// that it has or would be loaded with: Zed takes the longest for the window without it
	LoadedContext int      `json:"loaded_context_length"`
	Capabilities  []string `json:"capabilities"`
}

// ModelsV0 serves GET /api/v0/models.
func (a *API) ModelsV0(w http.ResponseWriter, _ *http.Request) {
	wire.WriteJSON(w, http.StatusOK, map[string]any{"object": "list", "data": a.listV0()})
}

// ModelV0 serves GET /api/v0/models/{id}. An unknown name gets the default model, if there is one.
func (a *API) ModelV0(w http.ResponseWriter, _ *http.Request, id string) {
	name, _ := a.models.Asked(id) // what is wrong with it, the next says
	m, err := a.models.Find(name)
	if err != nil {
		WriteError(w, err)
		return
	}
	for _, one := range a.listV0() {
		if one.ID == m.ID {
			if name != id {
				one.ID = id
			}
			wire.WriteJSON(w, http.StatusOK, one)
			return
		}
	}
	WriteError(w, &chat.Error{Kind: chat.NotFound, Field: "model", Message: "the model has just been removed"})
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

// wanted is how the model is to be loaded, unless a loaded instance will do. A context that is not
// the model's own takes leave.
func (t *turn) wanted(ctx context.Context) (s fleet.Settings, loaded bool, err error) {
	i, ok := t.api.models.FindLoaded(t.id)
	if ok && i.Context() >= t.context {
		return s, true, nil
	}
	if t.context > 0 {
		err = t.api.models.MayChoose(ctx, "context_length")
	}
	if err != nil && !ok && t.context <= t.model.Context {
		return s, false, nil // as the model is set, it will do
	}
	s.Context = t.context
	return s, false, err
}

// ensure loads the model if it is not.
func (t *turn) ensure(ctx context.Context) error {
	s, loaded, err := t.wanted(ctx)
	if loaded || err != nil {
		return err
	}
	if err := t.do(func() { t.begin(loading, nil) }); err != nil {
		return err
	}
	begun := time.Now()
	i, err := t.api.models.Load(ctx, fleet.Request{Name: t.model.ID, TTL: lmstudio.OnDemandTTL, OnDemand: true, Settings: s, Progress: func(p fleet.Progress) {
		// what follows meets the same error
		_ = t.do(func() { t.progress(loading, p.Share) })
	}})
	if err != nil {
		return lmstudio.LoadError(err)
	}
	return t.do(func() {
		t.id, t.load = i.ID, new(time.Since(begun).Seconds())
		t.progress(loading, 1) // a short load may have told of none
	})
}
