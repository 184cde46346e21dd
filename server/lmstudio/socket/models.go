package socket

import (
	"cmp"
	"context"
	"time"

	"tenon/engine"
	"tenon/models/fleet"
	"tenon/server/chat"
	"tenon/server/lmstudio"
	"tenon/server/wire"
)

// modelInfo describes a model at hand. Every member is demanded unless it may be left out.
type modelInfo struct {
	Type           string        `json:"type"` // "llm", "embedding"
	ModelKey       string        `json:"modelKey"`
	Format         string        `json:"format"` // "gguf"
	DisplayName    string        `json:"displayName"`
	Publisher      string        `json:"publisher"`
	Path           string        `json:"path"`
	Indexed        string        `json:"indexedModelIdentifier"`
	SizeBytes      int64         `json:"sizeBytes"`
	Device         *string       `json:"deviceIdentifier"` // null: this machine
	Architecture   string        `json:"architecture,omitempty"`
	Params         string        `json:"paramsString,omitempty"`
	Quantization   *quantization `json:"quantization,omitempty"`
	MaxContext     int           `json:"maxContextLength"`
	Vision         *bool         `json:"vision,omitempty"`            // llm only
	TrainedForTool *bool         `json:"trainedForToolUse,omitempty"` // llm only
}

type quantization struct {
	Name string `json:"name"`
	Bits int    `json:"bits"`
}

// instanceInfo describes a loaded one.
type instanceInfo struct {
	modelInfo
	Identifier    string `json:"identifier"`
	Reference     string `json:"instanceReference"`
	TTL           *int64 `json:"ttlMs"`        // null: none
	LastUsed      *int64 `json:"lastUsedTime"` // null: not yet; milliseconds
	ContextLength int    `json:"contextLength"`
}

func describe(m lmstudio.Model) modelInfo {
	out := modelInfo{
		Type: m.Kind(), ModelKey: m.ID, Format: "gguf", DisplayName: m.ID, Publisher: m.Publisher(), Path: m.File(), Indexed: m.File(),
		SizeBytes: m.Size, Architecture: m.Architecture, Params: m.Parameters, MaxContext: m.ContextTrained,
	}
	if bits, ok := m.Bits(); ok {
		out.Quantization = &quantization{m.Quantization, bits}
	}
	if !m.Embeds {
		out.Vision, out.TrainedForTool = new(false), &m.Tools
	}
	return out
}

func describeInstance(i lmstudio.Instance) instanceInfo {
	out := instanceInfo{modelInfo: describe(i.Model), Identifier: i.ID, Reference: i.Reference, ContextLength: i.Context()}
	if i.TTL > 0 {
		out.TTL = new(i.TTL.Milliseconds())
	}
	if !i.LastUsed.IsZero() {
		out.LastUsed = new(i.LastUsed.UnixMilli())
	}
	return out
}

// specifier says which loaded model is meant.
type specifier struct {
	Type      string `json:"type"` // "query", "instanceReference"
	Query     query  `json:"query"`
	Reference string `json:"instanceReference"`
}

type query struct {
	Domain     string `json:"domain,omitempty"`
	Identifier string `json:"identifier,omitempty"`
	Path       string `json:"path,omitempty"`
	Vision     *bool  `json:"vision,omitempty"`
}

// find returns the loaded model that is meant, of the socket's kind. The default model is loaded
// if no model is named, or an unknown one.
func (c *conn) find(ctx context.Context, s specifier) (lmstudio.Instance, error) {
	models := c.server.Models
	if s.Type == "instanceReference" {
		for _, i := range models.Loaded() {
			if i.Reference == s.Reference {
				return i, nil
			}
		}
		return lmstudio.Instance{}, &shownError{"the model was unloaded", packet{"code": "generic.specificModelUnloaded"}}
	}
	name := cmp.Or(s.Query.Identifier, s.Query.Path)
	m, byDefault := c.standIn(name)
	switch {
	case s.Query.Vision != nil && *s.Query.Vision:
	case byDefault:
		i, err := models.Load(ctx, fleet.Request{Name: m.ID, TTL: lmstudio.OnDemandTTL, OnDemand: true})
		return models.Instance(i), lmstudio.LoadError(err)
	case name == "":
		for _, i := range models.Loaded() {
			if c.serves(i) {
				return i, nil
			}
		}
	default:
		i, named := models.FindLoaded(name)
		other, placed := models.FindLoaded(cmp.Or(s.Query.Path, name))
		if named && placed && i.Model.ID == other.Model.ID && c.serves(i) {
			return i, nil
		}
	}
	return lmstudio.Instance{}, c.noModel(s.Query, "")
}

// standIn is the default model, if it is of the socket's kind and is to answer for a name.
func (c *conn) standIn(name string) (m lmstudio.Model, ok bool) {
	asked, err := c.server.Models.Asked(name)
	if name == "" {
		asked = c.server.Models.Default
	}
	if err != nil || asked == "" || asked == name {
		return m, false
	}
	m, err = c.server.Models.Find(asked)
	return m, err == nil && m.Kind() == string(c.ns)
}

// serves tells whether an instance is of the socket's kind.
func (c *conn) serves(i lmstudio.Instance) bool { return i.Model.Kind() == string(c.ns) }

// specified is the parameter of many calls.
type specified struct {
	Specifier specifier `json:"specifier"`
	Model     specifier `json:"modelSpecifier"` // what some call it
	Throw     bool      `json:"throwIfNotFound"`
	Input     string    `json:"inputString"`
}

func listLoaded(_ context.Context, c *conn, _ struct{}) (any, error) {
	all := []instanceInfo{}
	for _, i := range c.server.Models.Loaded() {
		if c.serves(i) {
			all = append(all, describeInstance(i))
		}
	}
	return all, nil
}

func processingState(i lmstudio.Instance) packet {
	status := map[bool]string{true: "computingEmbedding", false: "generating"}[i.Model.Embeds]
	if i.Busy == 0 {
		status = "idle"
	}
	return packet{"status": status, "queued": i.Waiting}
}

// unloadModel returns once the memory is free.
func unloadModel(ctx context.Context, c *conn, p struct {
	Identifier string `json:"identifier"`
}) (any, error) {
	i, ok := c.server.Models.FindLoaded(p.Identifier)
	if !ok {
		return nil, c.noModel(query{Identifier: p.Identifier}, "")
	}
	return nil, lmstudio.LoadError(c.server.Models.Unload(ctx, i.ID, true))
}

// estimateUsage tells what a load would take.
func estimateUsage(_ context.Context, c *conn, p loadParameter) (any, error) {
	m, err := c.server.Models.Find(p.ModelKey)
	if err != nil {
		return nil, c.noModel(query{Identifier: p.ModelKey}, chat.AsError(err).Message)
	}
	settings, _, _, err := loadSettings(p.Stack, m)
	if err != nil {
		return nil, err
	}
	f, err := c.server.Models.Forecast(m.ID, settings)
	if err != nil {
		return nil, lmstudio.LoadError(err)
	}
	ram, vram := f.Need.Total(), f.Need.VRAM
	// of the GPU's share, by the file's size
	weights := min(max(m.Size-f.Need.Weights, 0), vram)
	confidence := map[bool]string{true: "low", false: "high"}[weights > 0] // hence
	return packet{"passesGuardrails": f.Fits, "contextLength": f.Context, "memory": packet{
		"confidence": confidence, "modelVramBytes": weights, "contextVramBytes": vram - weights, "totalVramBytes": vram,
		"modelBytes": f.Need.Weights + weights, "contextBytes": ram - f.Need.Weights + vram - weights, "totalBytes": ram + vram,
	}}, nil
}

func listDownloaded(_ context.Context, c *conn, _ struct{}) (any, error) {
	all := []modelInfo{}
	for _, m := range c.server.Models.All() {
		all = append(all, describe(m))
	}
	return all, nil
}

// alive stays open as long as the server.
func alive(ch *channel, _ struct{}) error {
	<-ch.ctx.Done()
	return nil
}

func tokenize(ctx context.Context, c *conn, i lmstudio.Instance, p specified) (any, error) {
	ids, err := c.tokens(ctx, i, p.Input)
	return packet{"tokens": ids}, err
}

func countTokens(ctx context.Context, c *conn, i lmstudio.Instance, p specified) (any, error) {
	ids, err := c.tokens(ctx, i, p.Input)
	return packet{"tokenCount": len(ids)}, err
}

// tokens are a text's, markers in it read as tokens: clients count the prompts that
// applyPromptTemplate has made.
func (c *conn) tokens(ctx context.Context, i lmstudio.Instance, text string) ([]int32, error) {
	ids, err := c.server.Service.Tokenize(ctx, i.ID, text, true, false)
	return append([]int32{}, ids...), err
}

func embedString(ctx context.Context, c *conn, i lmstudio.Instance, p specified) (any, error) {
	vectors, err := c.server.Service.Embed(ctx, i.ID, []engine.Prompt{engine.Plain(p.Input)})
	if err != nil {
		return nil, err
	}
	return packet{"embedding": vectors[0].Vector}, nil
}

// loadParameter is what loadModel and getOrLoad take.
type loadParameter struct {
	ModelKey   string  `json:"modelKey"`
	Identifier string  `json:"identifier"`
	TTL        int64   `json:"ttlMs"`
	LoadTTL    int64   `json:"loadTtlMs"`
	Stack      kvStack `json:"loadConfigStack"`
}

// loadModel loads an instance with settings, beside others of the model.
func loadModel(ch *channel, p loadParameter) error {
	m, err := ch.conn.model(p.ModelKey)
	if err != nil {
		return err
	}
	ch.send("resolved", packet{"info": describe(m)})
	return ch.load(m, p, true, "progress", "success")
}

// getOrLoad returns a loaded instance, or loads one.
func getOrLoad(ch *channel, p loadParameter) error {
	c := ch.conn
	if m, ok := c.standIn(p.Identifier); ok {
		p.Identifier = m.ID
	}
	if i, ok := c.server.Models.FindLoaded(p.Identifier); ok {
		if !c.serves(i) {
			return c.mismatch(i.Model)
		}
		ch.send("alreadyLoaded", packet{"info": describeInstance(i)})
		return nil
	}
	m, err := c.model(p.Identifier)
	if err != nil {
		return err
	}
	ch.send("startLoading", packet{"identifier": m.ID, "info": describe(m)})
	p.Identifier, p.TTL = "", cmp.Or(p.LoadTTL, lmstudio.OnDemandTTL.Milliseconds())
	return ch.load(m, p, false, "loadProgress", "loadSuccess")
}

// load loads an instance, a new one if that is wanted, and tells of it.
func (ch *channel) load(m lmstudio.Model, p loadParameter, another bool, progress, success string) error {
	settings, chosen, ignored, err := loadSettings(p.Stack, m)
	if err == nil {
		err = cmp.Or(ch.conn.server.Models.MayChoose(ch.ctx, chosen), wire.Number{Name: "ttlMs", Max: 1e12}.Check(float64(p.TTL)))
	}
	if err != nil {
		return err
	}
	ch.conn.ignored(m.ID, ignored)
	r := fleet.Request{Name: m.ID, ID: p.Identifier, New: another, TTL: time.Duration(p.TTL) * time.Millisecond, Settings: settings}
	r.Progress = func(p fleet.Progress) { ch.progress(progress, packet{"progress": p.Share}) }
	r.Progress(fleet.Progress{})
	i, err := ch.conn.server.Models.Load(ch.ctx, r)
	ch.quiet()
	if ch.stopped() {
		return &chat.Error{Kind: chat.ClientGone, Message: "the load was cancelled"}
	}
	if err != nil {
		return lmstudio.LoadError(err)
	}
	ch.send(success, packet{"info": describeInstance(ch.conn.server.Models.Instance(i))})
	return nil
}

// model returns the model at hand that a name means, of the socket's kind.
func (c *conn) model(name string) (lmstudio.Model, error) {
	m, err := c.server.Models.Find(name)
	if err != nil {
		return m, c.noModel(query{Domain: string(c.ns), Identifier: name}, chat.AsError(err).Message)
	}
	if m.Kind() != string(c.ns) {
		return m, c.mismatch(m)
	}
	return m, nil
}
