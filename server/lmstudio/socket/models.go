package socket

import (
	"context"
	"os"
	"regexp"
	"strconv"
	"time"

	"tenon/server/chat"
	"tenon/server/lmstudio"
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
	ParamsString   string        `json:"paramsString,omitempty"`
	Architecture   string        `json:"architecture,omitempty"`
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
		Type: string(domain(m)), ModelKey: m.Key, Format: "gguf", DisplayName: m.DisplayName(), Publisher: m.Publisher(),
		Path: m.Path(), Indexed: m.Path(), SizeBytes: m.Size, ParamsString: m.Parameters, Architecture: m.Architecture, MaxContext: m.MaxContext,
	}
	if bits, ok := bitsOf(m.Quantization); ok {
		out.Quantization = &quantization{m.Quantization, bits}
	}
	if !m.Embedding {
		vision, tools := false, m.Tools
		out.Vision, out.TrainedForTool = &vision, &tools
	}
	return out
}

func domain(m lmstudio.Model) namespace {
	if m.Embedding {
		return embedding
	}
	return llm
}

var digits = regexp.MustCompile(`\d+`)

// bitsOf reads a quantization's bits in its name: Q4_K_M has 4.
func bitsOf(quantization string) (int, bool) {
	n, err := strconv.Atoi(digits.FindString(quantization))
	return n, err == nil
}

func describeInstance(i lmstudio.Instance) instanceInfo {
	out := instanceInfo{modelInfo: describe(i.Model), Identifier: i.ID, Reference: i.Reference, ContextLength: i.Context}
	if i.TTL > 0 {
		ms := i.TTL.Milliseconds()
		out.TTL = &ms
	}
	if !i.LastUsed.IsZero() {
		ms := i.LastUsed.UnixMilli()
		out.LastUsed = &ms
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

// find returns the loaded model that is meant, of the socket's kind.
func (c *conn) find(s specifier) (lmstudio.Instance, error) {
	fleet := c.server.Fleet
	if s.Type == "instanceReference" {
		for _, i := range fleet.Instances() {
			if i.Reference == s.Reference {
				return i, nil
			}
		}
		return lmstudio.Instance{}, &shownError{title: "the model was unloaded", data: map[string]string{"code": "generic.specificModelUnloaded"}}
	}
	for _, i := range c.candidates(s.Query) {
		vision := s.Query.Vision != nil && *s.Query.Vision // no model here sees
		if domain(i.Model) == c.ns && !vision {
			return i, nil
		}
	}
	return lmstudio.Instance{}, noModelFor(fleet, s.Query, "")
}

// candidates are the loaded models that a query names, or all.
func (c *conn) candidates(q query) []lmstudio.Instance {
	fleet := c.server.Fleet
	for _, name := range []string{q.Identifier, q.Path} {
		if name == "" {
			continue
		}
		if i, ok := lmstudio.FindInstance(fleet, name); ok {
			return []lmstudio.Instance{i}
		}
		return nil
	}
	return fleet.Instances()
}

// specified is the parameter of many calls.
type specified struct {
	Specifier specifier `json:"specifier"`
	Throw     bool      `json:"throwIfNotFound"`
	Input     string    `json:"inputString"`
}

func listLoaded(_ context.Context, c *conn, _ none) (any, error) {
	all := []instanceInfo{}
	for _, i := range c.server.Fleet.Instances() {
		if domain(i.Model) == c.ns {
			all = append(all, describeInstance(i))
		}
	}
	return all, nil
}

// getModelInfo answers nothing for a model that is not loaded, unless an error is wanted.
func getModelInfo(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	switch {
	case err == nil:
		return describeInstance(i), nil
	case p.Throw:
		return nil, err
	}
	return nil, nil
}

func getLoadConfig(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	if err != nil {
		return nil, err
	}
	return loadConfig(i), nil
}

func getBasePredictionConfig(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	if err != nil {
		return nil, err
	}
	return baseConfig(i), nil
}

type processingState struct {
	Status string `json:"status"`
	Queued int    `json:"queued"`
}

func getProcessingState(_ context.Context, c *conn, p specified) (any, error) {
	i, err := c.find(p.Specifier)
	if err != nil {
		if p.Throw {
			return nil, err
		}
		return nil, nil
	}
	s := processingState{Status: "idle", Queued: max(i.Running-max(i.Settings.Parallel, 1), 0)}
	switch {
	case i.Running > 0 && i.Embedding:
		s.Status = "computingEmbedding"
	case i.Running > 0:
		s.Status = "generating"
	}
	return s, nil
}

func estimateUsage(context.Context, *conn, none) (any, error) {
	return nil, unserved("estimates of a model's memory", "load it, and the server makes it fit or says why it does not")
}

func preloadDraftModel(context.Context, *conn, none) (any, error) {
	return nil, unserved("draft models", "leave the draft model out; the answer is the same")
}

// unloadModel returns once the memory is free.
func unloadModel(ctx context.Context, c *conn, p struct {
	Identifier string `json:"identifier"`
}) (any, error) {
	if err := c.mayManage(ctx); err != nil {
		return nil, err
	}
	i, ok := lmstudio.FindInstance(c.server.Fleet, p.Identifier)
	if !ok {
		return nil, noModelFor(c.server.Fleet, query{Identifier: p.Identifier}, "")
	}
	return nil, c.server.Fleet.Unload(ctx, i.ID)
}

func (c *conn) mayManage(ctx context.Context) error {
	if c.server.Manage == nil {
		return nil
	}
	return c.server.Manage(ctx)
}

func listDownloaded(_ context.Context, c *conn, _ none) (any, error) {
	all := []modelInfo{}
	for _, m := range c.server.Fleet.Models() {
		all = append(all, describe(m))
	}
	return all, nil
}

// listVariants answers nothing: each file is a model of its own here.
func listVariants(context.Context, *conn, none) (any, error) { return []modelInfo{}, nil }

func version(_ context.Context, c *conn, _ none) (any, error) {
	return struct {
		Version string `json:"version"`
		Build   int    `json:"build"`
	}{c.server.Version, 0}, nil
}

func processInfo(_ context.Context, c *conn, _ none) (any, error) {
	return struct {
		PID     int    `json:"pid"`
		Daemon  bool   `json:"isDaemon"`
		Version string `json:"version"`
	}{os.Getpid(), true, c.server.Version}, nil
}

// notify takes a message for the app's window. There is none.
func notify(context.Context, *conn, none) (any, error) { return nil, nil }

// alive stays open as long as the server.
func alive(ch *channel, _ none) error {
	<-ch.ctx.Done()
	return nil
}

// loadParameter is what loadModel and getOrLoad take.
type loadParameter struct {
	ModelKey   string  `json:"modelKey"`
	Identifier string  `json:"identifier"`
	TTL        int64   `json:"ttlMs"`
	LoadTTL    int64   `json:"loadTtlMs"`
	Stack      kvStack `json:"loadConfigStack"`
}

// The packets of loading.
type (
	resolvedPacket struct {
		Type string    `json:"type"` // "resolved"
		Info modelInfo `json:"info"`
	}
	startPacket struct {
		Type       string    `json:"type"` // "startLoading"
		Identifier string    `json:"identifier"`
		Info       modelInfo `json:"info"`
	}
	progressPacket struct {
		Type     string  `json:"type"` // "progress", "loadProgress"
		Progress float64 `json:"progress"`
	}
	loadedPacket struct {
		Type string       `json:"type"` // "success", "loadSuccess", "alreadyLoaded"
		Info instanceInfo `json:"info"`
	}
)

// loadModel loads an instance, whether or not there are others of the model.
func loadModel(ch *channel, p loadParameter) error {
	if err := ch.conn.mayManage(ch.ctx); err != nil {
		return err
	}
	m, err := ch.conn.model(p.ModelKey)
	if err != nil {
		return err
	}
	if err := ch.send(resolvedPacket{"resolved", describe(m)}); err != nil {
		return err
	}
	return ch.load(lmstudio.Load{Key: m.Key, ID: p.Identifier, TTL: time.Duration(p.TTL) * time.Millisecond}, p.Stack, "progress", "success")
}

// getOrLoad returns a loaded instance, or loads one as the first request for a model does.
func getOrLoad(ch *channel, p loadParameter) error {
	if i, ok := lmstudio.FindInstance(ch.conn.server.Fleet, p.Identifier); ok {
		if domain(i.Model) != ch.conn.ns {
			return ch.conn.mismatch(i.Model)
		}
		return ch.send(loadedPacket{"alreadyLoaded", describeInstance(i)})
	}
	m, err := ch.conn.model(p.Identifier)
	if err != nil {
		return err
	}
	if err := ch.send(startPacket{"startLoading", m.Key, describe(m)}); err != nil {
		return err
	}
	ttl := time.Duration(p.LoadTTL) * time.Millisecond
	return ch.load(lmstudio.Load{Key: m.Key, TTL: ttl, OnDemand: true}, p.Stack, "loadProgress", "loadSuccess")
}

// load loads an instance and tells of it.
func (ch *channel) load(l lmstudio.Load, stack kvStack, progress, success string) (err error) {
	if l.Settings, err = loadSettings(stack); err != nil {
		return err
	}
	l.Progress = func(share float64) { _ = ch.progress(progressPacket{progress, share}) } // what comes next meets the same error
	l.Progress(0)
	i, err := ch.conn.server.Fleet.Load(ch.ctx, l)
	ch.quiet()
	if ch.stopped() {
		return &chat.Error{Kind: chat.ClientGone, Message: "the load was cancelled"}
	}
	if err != nil {
		return err
	}
	return ch.send(loadedPacket{success, describeInstance(i)})
}

// model returns the model at hand that a name means, of the socket's kind.
func (c *conn) model(name string) (lmstudio.Model, error) {
	m, ok := lmstudio.FindModel(c.server.Fleet, name)
	if !ok {
		return m, notFound(c.server.Fleet, c.ns, name)
	}
	if domain(m) != c.ns {
		return m, c.mismatch(m)
	}
	return m, nil
}

func (c *conn) mismatch(m lmstudio.Model) error {
	kinds := map[namespace]string{llm: "chat", embedding: "embedding"}
	return &shownError{
		title: m.Key + " is no " + kinds[c.ns] + " model",
		data:  domainMismatch{"generic.domainMismatch", m.Path(), string(domain(m)), string(c.ns)},
	}
}
